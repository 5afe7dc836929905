(** What docs/theorem.md proves, checked by a machine (`make proof`), from what setting.v assumes.

    In the page's order: Lemma 1 in matrix form, Lemma 2, the block product, Theorem 1, Isserlis's
    theorem and Theorem 1 again, the quarter turn. At the end what assumes nothing about the
    distribution: independent vectors, and a bound on the excess of the published formula. *)
From mathcomp Require Import all_ssreflect all_algebra.
From Proofs Require Import setting.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.
Variable R : realFieldType.

Section Stein.
Variables (A : comRingType) (n : nat) (w : 'I_n -> A) (Σ : 'M[R]_n) (G : gaussian w Σ).
Local Notation E := (E G).
Local Notation D := (D G).
Local Notation number := (number G).

(** Stein's identity for the function w j * f. *)
Lemma stein_product i j f :
  E (w i * (w j * f)) = Σ i j * E f + \sum_a Σ i a * E (w j * D a f).
Proof.
rewrite stein -[Σ i j](sum_pick j) mulr_suml -big_split /=; apply: eq_bigr => a _.
by rewrite D_product D_coordinate E_sum E_nat mulrDr mulrA.
Qed.

(** So Σ is the covariance matrix of w, and symmetric. *)
Lemma covariance i j : E (w i * w j) = Σ i j.
Proof.
rewrite -[w j]mulr1 stein_product E_one mulr1 big1 ?addr0 // => a _.
by rewrite (D_nat G a 1) mulr0 E_zero mulr0.
Qed.

Lemma symmetric : Σ^T = Σ.
Proof. by apply/matrixP => i j; rewrite mxE -!covariance mulrC. Qed.

(** ** Lemma 1, the matrix form: E[w w^T h] = E[h] Σ + Σ E[hessian of h] Σ *)

Definition weighted h : 'M[R]_n := \matrix_(i, j) E (w i * w j * h).
Definition hessian h : 'M[R]_n := \matrix_(i, j) E (D j (D i h)).

Theorem lemma_1 h :
  weighted h = E h *: Σ + Σ *m hessian h *m Σ.
Proof.
apply/matrixP => i j; rewrite !mxE -mulrA stein_product mulrC; congr (_ + _).
under eq_bigr => a _ do rewrite stein mulr_sumr.
rewrite exchange_big /=; apply: eq_bigr => b _; rewrite !mxE mulr_suml.
by apply: eq_bigr => a _; rewrite mxE -[in Σ b j]symmetric mxE mulrA mulrAC.
Qed.

(** ** Lemma 2: the mean square of the quadratic form w^T B w *)

Section Form.
Variable B : 'M[R]_n.
Definition form := \sum_i \sum_j number (B i j) * (w i * w j).

(** A number is its own trace. *)
Lemma E_form_times h : E (form * h) = \tr (B *m weighted h).
Proof.
rewrite /form mulr_suml E_big -trace_product; apply: eq_bigr => i _.
rewrite mulr_suml E_big; apply: eq_bigr => j _.
by rewrite -mulrA E_scale mxE [w i * _]mulrC.
Qed.

Lemma E_form : E form = \tr (B *m Σ).
Proof.
rewrite -[form]mulr1 E_form_times; congr (\tr (B *m _)).
by apply/matrixP => i j; rewrite mxE mulr1 covariance.
Qed.

Lemma D_form a : D a form = \sum_j number ((B + B^T) a j) * w j.
Proof.
transitivity (\sum_i \sum_j (number (B i j) * w j * (a == i)%:R
                           + number (B i j) * w i * (a == j)%:R)).
  rewrite D_big; apply: eq_bigr => i _; rewrite D_big; apply: eq_bigr => j _.
  rewrite D_scale D_product !D_coordinate mulrDr mulrA [_ * w j]mulrAC.
  by rewrite [in i == a]eq_sym [in j == a]eq_sym mulrA.
under eq_bigr => i _ do rewrite big_split /= sum_pick.
rewrite big_split /= exchange_big /=.
under eq_bigr => j _ do rewrite sum_pick.
by rewrite -big_split; apply: eq_bigr => j _; rewrite !mxE number_sum mulrDl.
Qed.

Hypothesis B_symmetric : B^T = B.

Lemma hessian_form : hessian form = B + B.
Proof.
apply/matrixP => i j; rewrite mxE D_form D_big.
under eq_bigr => k _ do rewrite D_scale D_coordinate eq_sym.
by rewrite sum_pick -[number _]mulr1 E_scale E_one mulr1 B_symmetric mxE.
Qed.

Theorem lemma_2 :
  E (form ^+ 2)
  = \tr (B *m Σ) ^+ 2 + 2%:R * \tr (B *m Σ *m (B *m Σ)).
Proof.
rewrite expr2 E_form_times lemma_1 hessian_form E_form.
rewrite mulmxDr mxtraceD -scalemxAr mxtraceZ expr2; congr (_ + _).
by rewrite mulmxDr mulmxDl mulmxDr mxtraceD !mulmxA mulr2n mulrDl !mul1r.
Qed.
End Form.

(** ** Isserlis's theorem, or Wick's rule, for four factors *)

Theorem isserlis a b c e :
  E (w a * w b * w c * w e)
  = E (w a * w b) * E (w c * w e)
    + E (w a * w c) * E (w b * w e)
    + E (w a * w e) * E (w b * w c).
Proof.
rewrite -!mulrA stein_product -addrA !covariance; congr (_ + _).
rewrite -[Σ a c](sum_pick c) -[Σ a e](sum_pick e) !mulr_suml -big_split /=.
apply: eq_bigr => j _; rewrite D_product !D_coordinate mulrDr E_sum mulrDr.
by rewrite mulrCA E_nat mulrA [w c * _]mulrC mulrCA E_nat mulrA !covariance.
Qed.

End Stein.

(** ** The block product: A Σ times itself, and its trace *)

Section Block.
Variables (d : nat) (Σ_q Σ_k C : 'M[R]_d).
Definition swap : 'M[R]_(d + d) := 2%:R^-1 *: block_mx 0 1%:M 1%:M 0.
Let Σ := block_mx Σ_q C C^T Σ_k.

Theorem block_product :
  2%:R * \tr (swap *m Σ *m (swap *m Σ))
  = \tr (Σ_q *m Σ_k) + \tr (C *m C).
Proof.
rewrite /swap -scalemxAl mulmx_block !mul0mx !mul1mx !add0r !addr0.
rewrite -scalemxAl -scalemxAr !mxtraceZ mulmx_block mxtrace_block !mxtraceD.
rewrite -trmx_mul mxtrace_tr [\tr (Σ_k *m _)]mxtrace_mulC [_ + \tr (Σ_q *m _)]addrC.
by rewrite mulVKf ?pnatr_eq0 // mulrC mulrDl -splitr.
Qed.

Lemma swap_symmetric : swap^T = swap.
Proof. by rewrite /swap linearZ /= tr_block_mx !trmx0 !trmx1. Qed.
End Block.

(** ** Theorem 1: w is the query with the key below it, and S their dot product *)

Definition query A d (w : 'I_(d + d) -> A) (i : 'I_d) := w (lshift d i).
Definition key A d (w : 'I_(d + d) -> A) (i : 'I_d) := w (rshift d i).

Section Theorem1.
Variables (A : comRingType) (d : nat) (w : 'I_(d + d) -> A) (Σ : 'M[R]_(d + d)).
Variable G : gaussian w Σ.
Local Notation E := (E G).
Local Notation q := (query w).
Local Notation k := (key w).
Local Notation S := (dot q k).
Local Notation Σ_q := (cross G q q).
Local Notation Σ_k := (cross G k k).
Local Notation C := (cross G q k).

Lemma blocks : Σ = block_mx Σ_q C C^T Σ_k.
Proof.
rewrite -[LHS]submxK; congr block_mx; apply/matrixP=> i j; rewrite !mxE covariance //.
by rewrite -{1}(symmetric G) mxE.
Qed.

Lemma form_swap : form G (swap d) = S.
Proof.
have half i j : number G ((2%:R^-1 *: 1%:M : 'M[R]_d) i j) = number G 2%:R^-1 * (i == j)%:R.
  by rewrite !mxE number_product number_nat.
rewrite /form /swap scale_block_mx scaler0 big_split_ord /=.
have -> : S = number G 2%:R^-1 * S + number G 2%:R^-1 * S.
  by rewrite -mulrDl -number_sum -[2%:R^-1]mul1r -splitr number_one mul1r.
rewrite mulr_sumr; congr (_ + _); apply: eq_bigr => i _; rewrite big_split_ord /=.
  rewrite big1 ?add0r => [|j _]; last by rewrite block_mxEul mxE number_zero mul0r.
  under eq_bigr => j _ do rewrite block_mxEur half mulrAC.
  by rewrite sum_pick.
rewrite addrC big1 ?add0r => [|j _]; last by rewrite block_mxEdr mxE number_zero mul0r.
under eq_bigr => j _ do rewrite block_mxEdl half mulrAC.
by rewrite sum_pick [_ * w (lshift d i)]mulrC.
Qed.

Theorem theorem_1 :
  E (S ^+ 2) = \tr (Σ_q *m Σ_k) + \tr (C *m C) + \tr C ^+ 2.
Proof.
have := block_product Σ_q Σ_k C; rewrite -blocks => <-.
by rewrite -{1}form_swap lemma_2 ?swap_symmetric // -(E_form G) form_swap E_dot addrC.
Qed.

(** The same again, without Lemma 2. *)
Theorem theorem_1_by_isserlis :
  E (S ^+ 2) = \tr (Σ_q *m Σ_k) + \tr (C *m C) + \tr C ^+ 2.
Proof.
rewrite E_dot_square -!trace_product expr2 mulr_suml -!big_split /=.
apply: eq_bigr => i _; rewrite mulr_sumr -!big_split /=.
apply: eq_bigr => j _; rewrite !mxE mulrA isserlis /query /key.
rewrite [w (rshift d i) * w (lshift d j)]mulrC [w (rshift d j) * w (rshift d i)]mulrC.
by rewrite [RHS]addrC addrA.
Qed.

(** Gaussian vectors with C = 0 are independent enough for the theorem on independent vectors. *)
Corollary uncorrelated_factors i j : C = 0 ->
  E (q i * q j * (k i * k j)) = E (q i * q j) * E (k i * k j).
Proof.
move=> /matrixP C0; have zero a b : E (q a * k b) = 0 by have := C0 a b; rewrite !mxE.
by rewrite mulrA isserlis !zero !mul0r !addr0.
Qed.

End Theorem1.

(** ** The quarter turn: S is 0, and with the transpose the formula gives 4 *)

Definition turned (A : comRingType) (z : 'I_2 -> A) (i : 'I_2) : A := if i == 0 then z 1 else - z 0.

Theorem quarter_turn (A : comRingType) (q : 'I_2 -> A)
    (G : gaussian q (1%:M : 'M[R]_2)) :
  let k := turned q in
  let C := cross G q k in
  dot q k = 0
  /\ \tr (cross G q q *m cross G k k)
     + \tr (C *m C^T) + \tr C ^+ 2 = 4%:R.
Proof.
split.
  rewrite /dot !big_ord_recl big_ord0 /turned /= addr0 mulrN.
  by have -> : lift ord0 ord0 = 1 :> 'I_2; [apply: val_inj | rewrite [q 1 * _]mulrC subrr].
rewrite /mxtrace !sum_of_two !mxE !sum_of_two !mxE /turned /=.
rewrite !mulrN ?mulNr ?E_opp !covariance !mxE /=.
rewrite ?(mulr0n, oppr0, mulr0, mul0r, mulrNN, opprK, mulr1, add0r, addr0, subrr, expr0n).
by rewrite -!natrD.
Qed.

(** ** Independent vectors: no more than that these means factor, whatever the distribution *)

Section Independent.
Variables (A : comRingType) (E : mean R A).

Theorem independent n (q k : 'I_n -> A) :
  (forall i j,
    E (q i * q j * (k i * k j)) = E (q i * q j) * E (k i * k j)) ->
  E (dot q k ^+ 2) = \tr (cross E q q *m cross E k k).
Proof.
move=> factors; rewrite E_dot_square -trace_product.
apply: eq_bigr => i _; apply: eq_bigr => j _.
by rewrite mulrACA factors !mxE [k j * _]mulrC.
Qed.

Corollary independent_d n (q k : 'I_n -> A) :
  (forall i j,
    E (q i * q j * (k i * k j)) = E (q i * q j) * E (k i * k j)) ->
  cross E q q = 1%:M -> \tr (cross E k k) = n%:R -> E (dot q k ^+ 2) = n%:R.
Proof. by move=> factors white trace; rewrite independent // white mul1mx. Qed.

End Independent.
(** ** How far the published formula is off: its excess, tr(C C^T) - tr(C^2), is at most the product
    of the two traces. No Gaussian is needed, only that means keep order. *)

Section Vectors.
Variable d : nat.
Implicit Types (K : 'M[R]_d) (x y : 'I_d -> R).

Definition squares K : R := \sum_i \sum_j K i j ^+ 2.
Definition length2 x : R := \sum_i x i ^+ 2.
Definition image K x (i : 'I_d) : R := \sum_j K i j * x j.
Definition bilinear K x y : R := \sum_i \sum_j K i j * (x i * y j).

Lemma length2_ge0 x : 0 <= length2 x.
Proof. by apply: sumr_ge0 => i _; exact: sqr_ge0. Qed.

Lemma squares_ge0 K : 0 <= squares K.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0. Qed.

Lemma bilinear_image K x y : bilinear K x y = \sum_i x i * image K y i.
Proof. by apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _; rewrite mulrCA. Qed.

Lemma bilinear_swap K x y : K^T = - K -> bilinear K x y = - bilinear K y x.
Proof.
move=> /matrixP anti; rewrite /bilinear exchange_big -sumrN; apply: eq_bigr => i _.
rewrite -sumrN; apply: eq_bigr => j _.
by have := anti i j; rewrite !mxE => ->; rewrite mulNr [x j * _]mulrC.
Qed.

(** An antisymmetric matrix lengthens x at most by its Frobenius norm over the root of 2. Its image
    y = K x is at a right angle to x, and K is compared with the matrix y x^T - x y^T. *)
Lemma antisymmetric_norm K x : K^T = - K ->
  2%:R * length2 (image K x) <= squares K * length2 x.
Proof.
move=> anti; set y := image K x.
have right_angle : \sum_i x i * y i = 0.
  rewrite -bilinear_image; have /eqP := bilinear_swap x x anti.
  by rewrite -addr_eq0 -mulr2n mulrn_eq0 => /eqP.
have yx : bilinear K y x = length2 y by rewrite bilinear_image; apply: eq_bigr => i _; rewrite expr2.
have [X0|X0] := eqVneq (length2 x) 0.
  suff -> : length2 y = 0 by rewrite X0 !mulr0.
  have x0 i : x i = 0.
    have /eqP := X0; rewrite psumr_eq0 => [/allP /(_ i)|j _]; last exact: sqr_ge0.
    by rewrite mem_index_enum sqrf_eq0 => /(_ isT) /eqP.
  by rewrite -yx /bilinear big1 // => i _; rewrite big1 // => j _; rewrite x0 !mulr0.
have X_pos : 0 < length2 x by rewrite lt0r X0 length2_ge0.
rewrite -subr_ge0 -(pmulr_rge0 _ X_pos).
suff <- : \sum_i \sum_j (length2 x * K i j - (y i * x j - x i * y j)) ^+ 2
    = length2 x * (squares K * length2 x - 2%:R * length2 y).
  by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; exact: sqr_ge0.
have each i j : (length2 x * K i j - (y i * x j - x i * y j)) ^+ 2
    = length2 x ^+ 2 * K i j ^+ 2
      - length2 x * (K i j * (y i * x j) - K i j * (x i * y j)) *+ 2
      + (y i ^+ 2 * x j ^+ 2 - x i * y i * (x j * y j) *+ 2 + x i ^+ 2 * y j ^+ 2).
  rewrite !sqrrB !exprMn -[_ * _ * (_ - _)]mulrA -mulrBr; congr (_ + (_ - _ *+ 2 + _)).
  by rewrite mulrACA [y i * _]mulrC.
under eq_bigr => i _.
  under eq_bigr => j _ do rewrite each.
  rewrite !big_split /= !sumrN !sumrMnl -!mulr_sumr sumrB; over.
rewrite !big_split /= !sumrN !sumrMnl -!mulr_sumr sumrB.
rewrite -/(bilinear K y x) -/(bilinear K x y) (bilinear_swap x y anti) yx opprK.
rewrite -!mulr_suml right_angle mul0r mul0rn subr0.
rewrite -/(length2 x) -/(length2 y) -/(squares K).
rewrite -mulr2n [length2 y * _]mulrC -mulr2n mulr_natl mulrBr !mulrnAr.
rewrite -addrA [X in - X + _]mulr2n opprD addrNK.
by rewrite expr2 -mulrA [_ * squares K]mulrC.
Qed.

(** For all numbers s and t. *)
Lemma by_squares K x y s t : K^T = - K ->
  0 <= s ^+ 2 * length2 x *+ 2 - s * t * bilinear K x y *+ 4
       + t ^+ 2 * (squares K * length2 y).
Proof.
move=> anti; have norm := antisymmetric_norm y anti.
have : 0 <= \sum_i (s * x i - t * image K y i) ^+ 2 by apply: length2_ge0.
have -> : \sum_i (s * x i - t * image K y i) ^+ 2
    = s ^+ 2 * length2 x - s * t * bilinear K x y *+ 2 + t ^+ 2 * length2 (image K y).
  rewrite bilinear_image /length2 !mulr_sumr -sumrMnl -sumrN -!big_split /=.
  by apply: eq_bigr => i _; rewrite sqrrB !exprMn [s * x i * _]mulrACA.
rewrite -(pmulrn_lge0 _ (isT : 0 < 2)%N) -subr_ge0 in norm * => square.
have := addr_ge0 square (mulr_ge0 (sqr_ge0 t) norm).
rewrite mulrnDl mulrnBl -mulrnA mulrBr mulr_natl !mulrnAr.
by rewrite addrACA addrN addr0.
Qed.
End Vectors.

Section Excess.
Variables (A : comRingType) (d : nat) (E : mean R A) (P : positive E) (q k : 'I_d -> A).
Local Notation number := (number E).
Local Notation value := (value (p := P)).

Lemma value_zero o : value o 0 = 0.
Proof. by rewrite -(number_zero E) value_number. Qed.

Lemma value_big o (I : finType) (f : I -> A) : value o (\sum_i f i) = \sum_i value o (f i).
Proof. exact: (big_morph (value o) (value_sum o) (value_zero o)). Qed.

Lemma trace_square_ge0 (x : 'I_d -> A) : 0 <= \tr (cross E x x).
Proof.
rewrite -E_dot; apply: (E_positive (p := P)) => o; rewrite value_big; apply: sumr_ge0 => i _.
by rewrite value_product -expr2 sqr_ge0.
Qed.

Local Notation Σ_q := (cross E q q).
Local Notation Σ_k := (cross E k k).
Local Notation C := (cross E q k).

Theorem excess_bound :
  \tr (C *m C^T) - \tr (C *m C) <= \tr Σ_q * \tr Σ_k.
Proof.
set a := \tr Σ_q; set b := \tr Σ_k.
have a0 : 0 <= a by exact: trace_square_ge0.
have b0 : 0 <= b by exact: trace_square_ge0.
pose K := C - C^T; pose g := squares K.
have anti : K^T = - K by rewrite /K linearB /= trmxK opprB.
(* The mean of q^T K k is the excess, and the square of K is twice as large. *)
have KC : \sum_i \sum_j K i j * C i j = \tr (C *m C^T) - \tr (C *m C).
  rewrite -!trace_product -sumrB; apply: eq_bigr => i _; rewrite -sumrB; apply: eq_bigr => j _.
  by rewrite !mxE mulrBl [E _ * E (q j * _)]mulrC.
have KC' : \sum_i \sum_j K i j * C j i = - (\tr (C *m C^T) - \tr (C *m C)).
  rewrite -KC exchange_big -sumrN; apply: eq_bigr => i _; rewrite -sumrN; apply: eq_bigr => j _.
  by have /matrixP/(_ i j) := anti; rewrite !mxE => ->; rewrite mulNr.
have twice : g = (\tr (C *m C^T) - \tr (C *m C)) *+ 2.
  rewrite mulr2n -{2}[_ - _]opprK -KC' -KC -sumrB; apply: eq_bigr => i _.
  by rewrite -sumrB; apply: eq_bigr => j _; rewrite -mulrBr expr2 {2}/K !mxE.
have all s t : 0 <= s ^+ 2 * a *+ 2 - s * t * g *+ 2 + t ^+ 2 * (g * b).
  pose c := - (s * t) *+ 4.
  pose f := number (s ^+ 2 *+ 2) * dot q q
            + \sum_i \sum_j number (c * K i j) * (q i * k j)
            + number (t ^+ 2 * g) * dot k k.
  have <- : E f = s ^+ 2 * a *+ 2 - s * t * g *+ 2 + t ^+ 2 * (g * b).
    rewrite !E_sum !E_scale !E_dot mulrnAl -mulrA; congr (_ + _ + _).
    rewrite E_big; transitivity (\sum_i \sum_j c * (K i j * C i j)).
      apply: eq_bigr => i _; rewrite E_big; apply: eq_bigr => j _.
      by rewrite E_scale -mulrA [C i j]mxE.
    under eq_bigr => i _ do rewrite -mulr_sumr.
    by rewrite -mulr_sumr KC twice /c mulrnAl mulrnAr -mulrnA mulNr mulNrn.
  apply: (E_positive (p := P)) => o.
  have := by_squares (fun i => value o (q i)) (fun i => value o (k i)) s t anti.
  rewrite !value_sum !value_product !value_number !value_big.
  rewrite /length2 /bilinear; congr (_ <= _); rewrite mulrnAl -[t ^+ 2 * g * _]mulrA; congr (_ + _ + _).
  - by congr (_ * _ *+ 2); apply: eq_bigr => i _; rewrite value_product expr2.
  - rewrite -mulNrn -mulNr -mulrnAl mulr_sumr; apply: eq_bigr => i _.
    rewrite value_big mulr_sumr; apply: eq_bigr => j _.
    by rewrite !value_product value_number mulrA.
  - by congr (_ * (_ * _)); apply: eq_bigr => i _; rewrite value_product expr2.
have g0 : 0 <= g by exact: squares_ge0.
rewrite -(ler_pmuln2r (isT : 0 < 2)%N) -twice.
have [-> | g_neq0] := eqVneq g 0; first by rewrite mulrn_wge0 ?mulr_ge0.
have g_pos : 0 < g by rewrite lt0r g_neq0.
have [a_zero | a_neq0] := eqVneq a 0.
  have := all (b + 1) 1; rewrite a_zero mulr0 mul0rn sub0r expr1n mul1r mulr1 -mulrnAl.
  rewrite [_ * g]mulrC addrC -mulrBr pmulr_rge0 // subr_ge0 mulr2n -addrA ger_addl leNgt.
  by rewrite addr_gt0 ?ltr01 // ltr_paddl ?ltr01.
have a_pos : 0 < a by rewrite lt0r a_neq0.
have := all g (a *+ 2).
suff -> : g ^+ 2 * a *+ 2 - g * (a *+ 2) * g *+ 2 + (a *+ 2) ^+ 2 * (g * b)
    = a * g * ((a * b *+ 2 - g) *+ 2).
  by rewrite pmulr_rge0 ?mulr_gt0 // pmulrn_lge0 // subr_ge0.
have -> : g ^+ 2 * a = a * g * g by rewrite expr2 mulrC mulrA.
have -> : g * (a *+ 2) * g = a * g * g *+ 2 by rewrite mulrnAr mulrnAl [g * a]mulrC.
have -> : (a *+ 2) ^+ 2 * (g * b) = a * g * (a * b) *+ 4.
  by rewrite exprMn_n expr2 mulrnAl mulrACA.
rewrite mulrnAr mulrBr mulrnAr mulrnBl -[_ *+ 2 *+ 2 - _]/(_ - _) -!mulrnA.
rewrite addrC; congr (_ + _).
by rewrite [X in _ - X](mulrnDr _ 2 2) opprD addrA subrr add0r.
Qed.
End Excess.
End Numbers.
