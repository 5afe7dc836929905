(** The hypotheses of setting.v do not contradict each other: for every symmetric matrix Σ there
    are a ring, a mean and derivations that meet them all. The ring holds the polynomials in
    w_0, ..., w_(n-1), and their means are found from Stein's identity, one variable at a time.

    So the published formula can be refuted outright, which is done at the end. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Proofs Require Import setting theorem.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.
Variable R : realFieldType.

(** ** One more variable: from the ring A of polynomials in the others to A[X] *)

Section OneMore.
Variables (A : comRingType) (n : nat) (w : 'I_n -> A) (Σ : 'M[R]_n.+1).
Variable G : gaussian w (\matrix_(i, j) Σ (lift 0 i) (lift 0 j)).
Hypothesis D_comm : forall i j f, D G i (D G j f) = D G j (D G i f).
Hypothesis Σ_symmetric : forall i j, Σ i j = Σ j i.

(** The derivative that Stein's identity has for the coordinate i, but for the new variable. *)
Definition along i f := \sum_j number G (Σ i (lift 0 j)) * D G j f.

(** E[X^m f], if Stein's identity is to hold for X. *)
Fixpoint E_power m f : R :=
  if m is m'.+1 then Σ 0 0 * (m'%:R * E_power m'.-1 f) + E_power m' (along 0 f) else G f.

Definition number' c := (number G c)%:P.
Definition E' (p : {poly A}) : R := \sum_(m < size p) E_power m p`_m.
Definition w' i := if unlift 0 i is Some j then (w j)%:P else 'X.
Definition D' i p := if unlift 0 i is Some j then map_poly (D G j) p else p^`().

Lemma along_sum i f g : along i (f + g) = along i f + along i g.
Proof. by rewrite -big_split; apply: eq_bigr => j _; rewrite D_sum mulrDr. Qed.

Lemma along_scale i c f : along i (number G c * f) = number G c * along i f.
Proof. by rewrite mulr_sumr; apply: eq_bigr => j _; rewrite D_scale mulrCA. Qed.

Lemma along_product i f g : along i (f * g) = along i f * g + f * along i g.
Proof.
rewrite mulr_suml mulr_sumr -big_split; apply: eq_bigr => j _.
by rewrite D_product mulrDr mulrA; congr (_ + _); exact: mulrCA.
Qed.

Lemma along_w i j : along i (w j) = number G (Σ i (lift 0 j)).
Proof.
rewrite -[RHS](sum_pick j (fun a => number G (Σ i (lift 0 a)))).
by apply: eq_bigr => a _; rewrite D_coordinate.
Qed.

Lemma along_comm i j f : along i (along j f) = along j (along i f).
Proof.
rewrite /along; under eq_bigr => a _ do rewrite D_big mulr_sumr.
under [RHS]eq_bigr => a _ do rewrite D_big mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => a _; apply: eq_bigr => b _.
by rewrite !D_scale D_comm mulrCA.
Qed.

Lemma E_power_sum m f g : E_power m (f + g) = E_power m f + E_power m g.
Proof.
elim/ltn_ind: m f g => [[|m] IH] f g; first exact: E_sum.
by rewrite /= along_sum !IH ?ltnS ?leq_pred // !mulrDr addrACA.
Qed.

Lemma E_power_scale m c f : E_power m (number G c * f) = c * E_power m f.
Proof.
elim/ltn_ind: m f => [[|m] IH] f; first exact: E_scale.
rewrite /= along_scale !IH ?ltnS ?leq_pred // mulrDr; congr (_ + _).
by rewrite [RHS]mulrCA; congr (_ * _); exact: mulrCA.
Qed.

Lemma E_power_zero m : E_power m 0 = 0.
Proof. by apply: (@addrI _ (E_power m 0)); rewrite -E_power_sum !addr0. Qed.

Lemma arrange (a b m x y u t s : R) : s = a * y + u ->
  a * (m * (x + b * y)) + (b * s + (t + b * (m * u)))
  = a * (m * x) + t + (b * s + b * (m * s)).
Proof.
move=> eq_s; rewrite {3}eq_s !mulrDr -!addrA; congr (_ + _).
rewrite addrCA [RHS]addrCA; congr (_ + _); rewrite addrCA; congr (_ + (_ + _)).
by rewrite [m * (b * y)]mulrCA [LHS]mulrCA [m * (a * y)]mulrCA.
Qed.

(** Stein's identity for the other variables, of X^m f. *)
Lemma E_power_stein i m f :
  E_power m (w i * f)
  = E_power m (along (lift 0 i) f) + Σ (lift 0 i) 0 * (m%:R * E_power m.-1 f).
Proof.
elim/ltn_ind: m f => [[|m] IH] f.
  rewrite mul0r mulr0 addr0 /= stein E_big; apply: eq_bigr => j _.
  by rewrite E_scale mxE.
rewrite /= along_product along_w E_power_sum E_power_scale !IH ?ltnS ?leq_pred //.
rewrite along_comm Σ_symmetric -[m.+1]add1n natrD mulrDl mul1r mulrDr.
case: m {IH} => [|m]; first by rewrite !mul0r !mulr0 !add0r addr0 addrC addr0.
exact: arrange.
Qed.

(** E' does what it should: it is enough to look at X^m f. *)

Lemma E'_wide N (p : {poly A}) : (size p <= N)%N -> E' p = \sum_(m < N) E_power m p`_m.
Proof.
move=> le; rewrite /E' (big_ord_widen N (fun m => E_power m p`_m) le) big_mkcond.
by apply: eq_bigr => m _; case: ltnP => // /(nth_default 0) ->; rewrite E_power_zero.
Qed.

Lemma E'_sum p r : E' (p + r) = E' p + E' r.
Proof.
pose N := maxn (size p) (size r).
have p_N : (size p <= N)%N by exact: leq_maxl.
have r_N : (size r <= N)%N by exact: leq_maxr.
have sum_N : (size (p + r)%R <= N)%N.
  by apply/leq_sizeP=> m le; rewrite coefD !nth_default ?addr0 // (leq_trans _ le).
rewrite !(@E'_wide N) // -big_split.
by apply: eq_bigr => m _; rewrite coefD E_power_sum.
Qed.

Lemma E'_monomial m f : E' (f *: 'X^m) = E_power m f.
Proof.
rewrite (@E'_wide m.+1); last by rewrite (leq_trans (size_scale_leq _ _)) ?size_polyXn.
rewrite big_ord_recr big1 => [|j _] /=; rewrite coefZ coefXn ?eqxx ?mulr1 ?add0r //.
by rewrite ltn_eqF // mulr0 E_power_zero.
Qed.

Lemma by_monomials (P : {poly A} -> Prop) :
  (forall p r, P p -> P r -> P (p + r)) -> (forall m f, P (f *: 'X^m)) -> forall p, P p.
Proof.
move=> sum monomial p; rewrite -[p]coefK poly_def; apply: big_ind => //.
by have := monomial 0%N 0; rewrite scale0r.
Qed.

Lemma number'_one : number' 1 = 1.
Proof. by rewrite /number' number_one. Qed.

Lemma number'_sum a b : number' (a + b) = number' a + number' b.
Proof. by rewrite /number' number_sum polyCD. Qed.

Lemma number'_product a b : number' (a * b) = number' a * number' b.
Proof. by rewrite /number' number_product polyCM. Qed.

Lemma E'_one : E' 1 = 1.
Proof. by rewrite -[1]scale1r -(expr0 'X) E'_monomial /= E_one. Qed.

Lemma E'_scale c p : E' (number' c * p) = c * E' p.
Proof.
elim/by_monomials: p => [p r IHp IHr|m f]; first by rewrite !(mulrDr, E'_sum) IHp IHr.
by rewrite mul_polyC scalerA !E'_monomial E_power_scale.
Qed.

Lemma D'_sum i p r : D' i (p + r) = D' i p + D' i r.
Proof.
rewrite /D'; case: (unlift 0 i) => [j|]; last exact: derivD.
by apply/polyP=> m; rewrite coefD !coef_map_id0 ?D_zero // coefD D_sum.
Qed.

Lemma D'_product i p r : D' i (p * r) = D' i p * r + p * D' i r.
Proof.
rewrite /D'; case: (unlift 0 i) => [j|]; last exact: derivM.
apply/polyP=> m; rewrite coefD coef_map_id0 ?D_zero // !coefM D_big -big_split.
by apply: eq_bigr => a _; rewrite D_product !coef_map_id0 ?D_zero.
Qed.

Lemma D'_number i c : D' i (number' c) = 0.
Proof.
rewrite /D'; case: (unlift 0 i) => [j|]; last exact: derivC.
apply/polyP=> m; rewrite coef_map_id0 ?D_zero // coefC coef0.
by case: eqP; rewrite ?D_number ?D_zero.
Qed.

Lemma D'_coordinate j i : D' j (w' i) = (i == j)%:R.
Proof.
rewrite /D' /w'; case: (unliftP 0 j) => [b|] ->; case: (unliftP 0 i) => [a|] ->.
- rewrite (inj_eq lift_inj) -polyC1 -polyCMn; apply/polyP=> m.
  by rewrite coef_map_id0 ?D_zero // !coefC; case: eqP; rewrite ?D_coordinate ?D_zero.
- by apply/polyP=> m; rewrite coef_map_id0 ?D_zero // coefX coef0 D_nat.
- by rewrite derivC.
- by rewrite derivX.
Qed.

Lemma D_times j f m : D G j (f *+ m) = D G j f *+ m.
Proof. by rewrite -mulr_natl -[RHS]mulr_natl -(number_nat G) D_scale. Qed.

Lemma D'_comm i j p : D' i (D' j p) = D' j (D' i p).
Proof.
rewrite /D'; case: (unlift 0 i) => [a|]; case: (unlift 0 j) => [b|] //; apply/polyP=> m;
  by rewrite ?(coef_deriv, coef_map_id0) ?D_zero ?D_times.
Qed.

Lemma stein' i p : E' (w' i * p) = \sum_j Σ i j * E' (D' j p).
Proof.
elim/by_monomials: p => [p r IHp IHr|m f].
  rewrite mulrDr E'_sum IHp IHr -big_split; apply: eq_bigr => j _.
  by rewrite D'_sum E'_sum mulrDr.
rewrite big_ord_recl /D' unlift_none derivZ derivXn.
under eq_bigr => j _ do rewrite liftK.
have D_monomial j : map_poly (D G j) (f *: 'X^m) = D G j f *: 'X^m.
  apply/polyP=> a; rewrite coef_map_id0 ?D_zero // !coefZ coefXn D_product D_nat.
  by rewrite mulr0 addr0.
under eq_bigr => j _ do rewrite D_monomial E'_monomial.
rewrite -scaler_nat scalerA mulrC -(number_nat G) E'_monomial E_power_scale.
have -> : \sum_j Σ i (lift 0 j) * E_power m (D G j f) = E_power m (along i f).
  rewrite (big_morph _ (E_power_sum m) (E_power_zero m)).
  by apply: eq_bigr => j _; rewrite E_power_scale.
rewrite /w'; case: (unliftP 0 i) => [a|] ->.
  by rewrite mul_polyC scalerA E'_monomial E_power_stein addrC.
by rewrite -scalerAr -exprS E'_monomial.
Qed.

Definition mean' := Mean number'_one number'_sum number'_product E'_one E'_sum E'_scale.
Definition gaussian' : gaussian w' Σ :=
  @Gaussian _ _ _ _ _ mean' _ D'_sum D'_product D'_number D'_coordinate stein'.

End OneMore.

(** ** As many variables as one likes *)

Theorem hypotheses_hold n (Σ : 'M[R]_n) : Σ^T = Σ ->
  exists (A : comRingType) (w : 'I_n -> A),
    inhabited (gaussian w Σ).
Proof.
move=> /matrixP Σ_symmetric.
suff [A [w [G _]]] : exists (A : comRingType) (w : 'I_n -> A) (G : gaussian w Σ),
  forall i j f, D G i (D G j f) = D G j (D G i f) by exists A, w.
elim: n Σ Σ_symmetric => [|n IH] Σ Σ_symmetric.
- pose numbers := @Mean R R id erefl (fun _ _ => erefl) (fun _ _ => erefl) id erefl
    (fun _ _ => erefl) (fun _ _ => erefl).
  have G : @gaussian R R 0 (fun=> 0) Σ.
    by apply: (@Gaussian R R 0 _ _ numbers (fun=> id)) => -[].
  by exists R, (fun=> 0), G => -[].
have [i j|A [w [G comm]]] := IH (\matrix_(i, j) Σ (lift 0 i) (lift 0 j)).
  by rewrite !mxE -[LHS]Σ_symmetric mxE.
have sym i j : Σ i j = Σ j i by rewrite -Σ_symmetric mxE.
by exists _, _, (gaussian' comm sym) => i j f; apply: D'_comm.
Qed.

(** ** The published formula, with the transpose, does not follow from the hypotheses *)

Theorem published_formula_fails :
  ~ forall (A : comRingType) d (w : 'I_(d + d) -> A)
      (Σ : 'M[R]_(d + d)) (G : gaussian w Σ),
    let q := query w in
    let k := key w in
    let C := cross G q k in
    G (dot q k ^+ 2)
    = \tr (cross G q q *m cross G k k)
      + \tr (C *m C^T) + \tr C ^+ 2.
Proof.
move=> published; pose T : 'M[R]_2 := \matrix_(i, j) (i%:R - j%:R).
have [|A [w [G]]] := @hypotheses_hold _ (block_mx 1%:M T T^T 1%:M).
  by rewrite tr_block_mx !trmx1 trmxK.
have := published _ _ _ _ G; rewrite /= theorem_1 -addrA -[RHS]addrA => /addrI/addIr.
have -> : cross G (query w) (key w) = T.
  by apply/matrixP=> i j; rewrite mxE covariance block_mxEur.
rewrite /mxtrace !sum_of_two !mxE !sum_of_two !mxE.
rewrite !subrr subr0 sub0r mulrNN !mul0r !mulN1r !mulrN1 !mulr1 !add0r !addr0 => /eqP.
by rewrite eq_sym -opprD -addr_eq0 -!natrD pnatr_eq0.
Qed.

End Numbers.
