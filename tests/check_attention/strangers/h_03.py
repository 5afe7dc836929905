import math, torch
from torch import nn
from torch.nn import functional as F


class _GraphTransformerLayer(nn.Module):
    """Dense graph transformer: attention restricted to edges of the adjacency matrix, bias by an edge type."""

    def __init__(self, d, h, wrong):
        super().__init__()
        self.h, self.dk = h, d // h
        self.Q, self.K, self.V = (
            nn.Linear(d, d, bias=False),
            nn.Linear(d, d, bias=False),
            nn.Linear(d, d, bias=False),
        )
        self.O = nn.Linear(d, d)
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.ffn = nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
        self.wrong = wrong

    def forward(self, hfeat, adj):
        B, N, D = hfeat.shape
        Q = self.Q(hfeat).view(B, N, self.h, self.dk)
        K = self.K(hfeat).view(B, N, self.h, self.dk)
        V = self.V(hfeat).view(B, N, self.h, self.dk)
        score = torch.einsum("bihd,bjhd->bijh", Q, K) / math.sqrt(self.dk)
        score = score.masked_fill(~adj[..., None], -1e9)
        att = torch.softmax(score, dim=1 if self.wrong else 2)
        out = torch.einsum("bijh,bjhd->bihd", att, V).reshape(B, N, D)
        x = self.ln1(hfeat + self.O(out))
        return self.ln2(x + self.ffn(x))


class _GraphTransformer(nn.Module):
    def __init__(self, wrong, d=32):
        super().__init__()
        self.emb = nn.Linear(9, d)
        self.layers = nn.ModuleList([_GraphTransformerLayer(d, 4, wrong) for _ in range(2)])
        self.readout = nn.Linear(d, 1)

    def forward(self, x, adj):
        h = self.emb(x)
        for l in self.layers:
            h = l(h, adj)
        return self.readout(h.mean(1))


def graph_transformer_bijh_softmax_over_i(wrong=True):
    """axis | scores in layout b i j h are normalised over i (dim=1) but the einsum sums over j. Right twin: dim=2."""
    bs = []
    for _ in range(2):
        a = torch.rand(2, 10, 10) < 0.35
        a = a | a.transpose(1, 2) | torch.eye(10, dtype=torch.bool)
        bs.append((torch.randn(2, 10, 9), a))
    return _GraphTransformer(wrong), bs


class _TabTransformer(nn.Module):
    def __init__(self, cards, n_cont, dim=32, batch_first=True):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, dim) for c in cards])
        layer = nn.TransformerEncoderLayer(
            dim, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=batch_first
        )
        self.transformer = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.cont_norm = nn.LayerNorm(n_cont)
        self.mlp = nn.Sequential(
            nn.Linear(dim * len(cards) + n_cont, 32), nn.ReLU(), nn.Linear(32, 1)
        )

    def forward(self, x_categ, x_cont):
        x = torch.stack(
            [e(x_categ[:, i]) for i, e in enumerate(self.embeds)], dim=1
        )  # batch, columns, dim
        x = self.transformer(x)
        return self.mlp(torch.cat([x.flatten(1), self.cont_norm(x_cont)], dim=-1))


def tabtransformer_without_batch_first(wrong=True):
    """heads | (batch, columns, dim) given to a TransformerEncoder with batch_first=False: rows of the table attend to each other. Right twin: batch_first=True."""
    cards = [5, 9, 3, 7, 12, 4, 6]
    bs = [
        (torch.stack([torch.randint(0, c, (8,)) for c in cards], 1), torch.randn(8, 3))
        for _ in range(2)
    ]
    return _TabTransformer(cards, 3, batch_first=not wrong), bs


class _MAB(nn.Module):
    """Set transformer, as in the official code, but with the masks and with sqrt(d of a head)."""

    def __init__(self, dim_Q, dim_K, dim_V, num_heads, wrong):
        super().__init__()
        self.dim_V, self.num_heads = dim_V, num_heads
        self.fc_q, self.fc_k, self.fc_v = (
            nn.Linear(dim_Q, dim_V),
            nn.Linear(dim_K, dim_V),
            nn.Linear(dim_K, dim_V),
        )
        self.fc_o = nn.Linear(dim_V, dim_V)
        self.wrong = wrong

    def forward(self, Q, K):
        Q = self.fc_q(Q)
        K, V = self.fc_k(K), self.fc_v(K)
        dim_split = self.dim_V // self.num_heads
        Q_ = torch.cat(Q.split(dim_split, 2), 0)
        K_ = torch.cat(K.split(dim_split, 2), 0)
        V_ = torch.cat(V.split(dim_split, 2), 0)
        d = self.dim_V if self.wrong else dim_split
        A = torch.softmax(Q_.bmm(K_.transpose(1, 2)) / math.sqrt(d), 2)
        O = torch.cat((Q_ + A.bmm(V_)).split(Q.size(0), 0), 2)
        return O + F.relu(self.fc_o(O))


class _SetTransformer(nn.Module):
    def __init__(self, wrong, d=32, m=5, h=4):
        super().__init__()
        self.I = nn.Parameter(torch.empty(1, m, d))
        nn.init.xavier_uniform_(self.I)
        self.mab0, self.mab1 = _MAB(d, 2, d, h, wrong), _MAB(2, d, d, h, wrong)
        self.S = nn.Parameter(torch.empty(1, 3, d))
        nn.init.xavier_uniform_(self.S)
        self.pma = _MAB(d, d, d, h, wrong)
        self.sab = _MAB(d, d, d, h, wrong)
        self.out = nn.Linear(d, 2)

    def forward(self, X):
        B = X.size(0)
        H = self.mab0(self.I.repeat(B, 1, 1), X)
        X = self.mab1(X, H)
        Z = self.pma(self.S.repeat(B, 1, 1), X)
        return self.out(self.sab(Z, Z))


def set_transformer_sqrt_dim_v(wrong=True):
    """scale | divides by sqrt(dim_V), the whole width, though heads are split. Right twin: sqrt(dim_V // num_heads)."""
    return _SetTransformer(wrong), [torch.randn(4, 15, 2) for _ in range(2)]


class _SASRec(nn.Module):
    def __init__(self, item_num, wrong, d=32, maxlen=20, heads=2):
        super().__init__()
        self.item_emb = nn.Embedding(item_num + 1, d, padding_idx=0)
        self.pos_emb = nn.Embedding(maxlen, d)
        self.attention_layernorms = nn.ModuleList([nn.LayerNorm(d, eps=1e-8) for _ in range(2)])
        self.attention_layers = nn.ModuleList(
            [nn.MultiheadAttention(d, heads, 0.0) for _ in range(2)]
        )
        self.forward_layernorms = nn.ModuleList([nn.LayerNorm(d, eps=1e-8) for _ in range(2)])
        self.ffn = nn.ModuleList(
            [nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d)) for _ in range(2)]
        )
        self.last_layernorm = nn.LayerNorm(d)
        self.wrong = wrong

    def forward(self, log_seqs):
        seqs = self.item_emb(log_seqs) * self.item_emb.embedding_dim**0.5
        seqs = seqs + self.pos_emb(torch.arange(log_seqs.shape[1]))[None]
        tl = seqs.shape[1]
        tri = torch.tril(torch.ones((tl, tl), dtype=torch.bool))
        attention_mask = torch.triu(~tri, diagonal=2) if self.wrong else ~tri
        for ln, att, fln, ff in zip(
            self.attention_layernorms, self.attention_layers, self.forward_layernorms, self.ffn
        ):
            seqs = seqs.transpose(0, 1)
            Q = ln(seqs)
            out, _ = att(Q, seqs, seqs, attn_mask=attention_mask)
            seqs = (Q + out).transpose(0, 1)
            seqs = fln(seqs + ff(fln(seqs)))
        return self.last_layernorm(seqs) @ self.item_emb.weight.t()


def sasrec_triu_two(wrong=True):
    """mask | causal mask triu(diagonal=2) lets an item see the next item that it has to predict. Right twin: ~tril."""
    return _SASRec(60, wrong), [torch.randint(1, 61, (3, 16)) for _ in range(2)]


class _PatchTSTAttention(nn.Module):
    def __init__(self, d_model, n_heads, wrong):
        super().__init__()
        d_k = d_model // n_heads
        self.n_heads, self.d_k, self.d_v = n_heads, d_k, d_k
        self.W_Q, self.W_K, self.W_V = (nn.Linear(d_model, d_k * n_heads) for _ in range(3))
        self.to_out = nn.Linear(n_heads * d_k, d_model)
        self.wrong = wrong

    def forward(self, Q):
        bs = Q.size(0)
        q_s = self.W_Q(Q).view(bs, -1, self.n_heads, self.d_k).transpose(1, 2)
        k_s = self.W_K(Q).view(bs, -1, self.n_heads, self.d_k).permute(0, 2, 3, 1)
        v_s = self.W_V(Q).view(bs, -1, self.n_heads, self.d_v).transpose(1, 2)
        scores = torch.matmul(q_s, k_s) * self.d_k**-0.5
        w = F.softmax(scores, dim=-1)
        out = torch.matmul(w, v_s)
        if self.wrong:
            out = out.contiguous().view(bs, -1, self.n_heads * self.d_v)
        else:
            out = out.transpose(1, 2).contiguous().view(bs, -1, self.n_heads * self.d_v)
        return self.to_out(out)


class _PatchTST(nn.Module):
    def __init__(self, wrong, c_in=3, patch=8, stride=8, L=64, d=32):
        super().__init__()
        self.patch, self.stride = patch, stride
        self.W_P = nn.Linear(patch, d)
        n = (L - patch) // stride + 1
        self.W_pos = nn.Parameter(torch.empty(n, d).uniform_(-0.02, 0.02))
        self.attn = nn.ModuleList([_PatchTSTAttention(d, 4, wrong) for _ in range(2)])
        self.bn = nn.ModuleList([nn.BatchNorm1d(d) for _ in range(2)])
        self.head = nn.Linear(n * d, 12)

    def forward(self, x):  # bs, L, c
        m, s = x.mean(1, keepdim=True), x.std(1, keepdim=True)
        z = (
            ((x - m) / (s + 1e-5)).permute(0, 2, 1).unfold(-1, self.patch, self.stride)
        )  # bs, c, n, p
        B, C, N, P = z.shape
        u = (self.W_P(z) + self.W_pos).reshape(B * C, N, -1)
        for a, b in zip(self.attn, self.bn):
            u = b((u + a(u)).transpose(1, 2)).transpose(1, 2)
        y = self.head(u.reshape(B, C, -1)).permute(0, 2, 1)
        return y * s + m


def patchtst_merge_without_transpose(wrong=True):
    """heads | (bs, heads, q, d) is viewed as (bs, q, heads*d) without the transpose. Right twin: transpose(1, 2) first."""
    return _PatchTST(wrong), [torch.randn(4, 64, 3).cumsum(1) for _ in range(2)]
