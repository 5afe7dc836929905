(** What docs/theorem.md assumes, in the words of a proof assistant, and its first consequences.

    Random variables can be added and multiplied, a mean is linear, and Stein's identity holds: that
    is all that is said of the Gaussian distribution here. It is a hypothesis, the last line of the
    record [gaussian]. That Gaussian variables satisfy it is Lemma 1 of the page, by integration.
    model.v shows that the hypotheses do not contradict each other. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Numbers.
Variable R : realFieldType.

(** ** What is assumed *)

(** Random variables: a commutative ring with every number in it, and a linear mean, E 1 = 1. *)
Record mean (A : comRingType) := Mean {
  number : R -> A;
  number_one : number 1 = 1;
  number_sum : forall a b, number (a + b) = number a + number b;
  number_product : forall a b, number (a * b) = number a * number b;
  E :> A -> R;
  E_one : E 1 = 1;
  E_sum : forall f g, E (f + g) = E f + E g;
  E_scale : forall c f, E (number c * f) = c * E f }.

(** D j f is the derivative of f by the coordinate w j. *)
Record gaussian (A : comRingType) n
    (w : 'I_n -> A) (Σ : 'M[R]_n) := Gaussian {
  E' :> mean A;
  D : 'I_n -> A -> A;
  D_sum : forall j f g, D j (f + g) = D j f + D j g;
  D_product : forall j f g, D j (f * g) = D j f * g + f * D j g;
  D_number : forall j c, D j (number E' c) = 0;
  D_coordinate : forall j i, D j (w i) = (i == j)%:R;
  stein : forall i f,
    E' (w i * f) = \sum_j Σ i j * E' (D j f) }.

(** Means keep order: f has a value at each outcome, and where no value is negative, the mean is
    not. Only the bound on the excess needs this; Theorem 1 does not. *)
Record positive (A : comRingType) (E : mean A) := Positive {
  outcome : Type;
  value : outcome -> A -> R;
  value_number : forall o c, value o (number E c) = c;
  value_sum : forall o f g, value o (f + g) = value o f + value o g;
  value_product : forall o f g, value o (f * g) = value o f * value o g;
  E_positive : forall f, (forall o, 0 <= value o f) -> 0 <= E f }.

(** ** Sums *)

Lemma sum_pick (T : ringType) n (j : 'I_n) (F : 'I_n -> T) : \sum_i F i * (j == i)%:R = F j.
Proof.
rewrite (bigD1 j) //= eqxx mulr1 big1 ?addr0 // => i /negbTE.
by rewrite eq_sym => ->; rewrite mulr0.
Qed.

Lemma sum_of_two (f : 'I_2 -> R) : \sum_i f i = f 0 + f 1.
Proof. by rewrite !big_ord_recl big_ord0 addr0; congr (_ + f _); apply: val_inj. Qed.

Lemma trace_product n (B M : 'M[R]_n) : \sum_i \sum_j B i j * M j i = \tr (B *m M).
Proof. by rewrite /mxtrace; apply: eq_bigr => i _; rewrite mxE. Qed.

Section Mean.
Variables (A : comRingType) (E : mean A).

Lemma number_zero : number E 0 = 0.
Proof. by apply: (@addrI _ (number E 0)); rewrite -number_sum !addr0. Qed.

Lemma number_nat m : number E m%:R = m%:R.
Proof.
by elim: m => [|m IH]; rewrite ?number_zero // -addn1 !natrD number_sum IH number_one.
Qed.

Lemma E_zero : E 0 = 0.
Proof. by apply: (@addrI _ (E 0)); rewrite -E_sum !addr0. Qed.

Lemma E_opp f : E (- f) = - E f.
Proof. by apply: (@addrI _ (E f)); rewrite -E_sum !subrr E_zero. Qed.

Lemma E_big (I : finType) (f : I -> A) : E (\sum_i f i) = \sum_i E (f i).
Proof. exact: (big_morph E (E_sum E) E_zero). Qed.

Lemma E_nat m f : E (m%:R * f) = m%:R * E f.
Proof. by rewrite -(number_nat m) E_scale. Qed.

(** The matrix of the means of all products, E[x y^T]; and the dot product. *)
Definition cross n (x y : 'I_n -> A) : 'M[R]_n := \matrix_(i, j) E (x i * y j).
Definition dot n (x y : 'I_n -> A) : A := \sum_i x i * y i.

Lemma E_dot n (x y : 'I_n -> A) : E (dot x y) = \tr (cross x y).
Proof. by rewrite E_big; apply: eq_bigr => i _; rewrite mxE. Qed.

Lemma E_dot_square n (x y : 'I_n -> A) :
  E (dot x y ^+ 2) = \sum_i \sum_j E (x i * y i * (x j * y j)).
Proof.
by rewrite expr2 mulr_suml E_big; apply: eq_bigr => i _; rewrite mulr_sumr E_big.
Qed.

End Mean.

Section Stein.
Variables (A : comRingType) (n : nat) (w : 'I_n -> A) (Σ : 'M[R]_n) (G : gaussian w Σ).
Local Notation E := (E G).
Local Notation D := (D G).
Local Notation number := (number G).

Lemma D_zero j : D j 0 = 0.
Proof. by rewrite -{1}(number_zero G) D_number. Qed.

Lemma D_big j (I : finType) (f : I -> A) : D j (\sum_i f i) = \sum_i D j (f i).
Proof. exact: (big_morph (D j) (D_sum G j) (D_zero j)). Qed.

Lemma D_scale j c f : D j (number c * f) = number c * D j f.
Proof. by rewrite D_product D_number mul0r add0r. Qed.

Lemma D_nat j m : D j m%:R = 0.
Proof. by rewrite -(number_nat G) D_number. Qed.

End Stein.
End Numbers.
