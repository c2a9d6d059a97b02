"""Tiny models with random weights, written as GGUF files, beside the same weights in transformers."""

from pathlib import Path
from typing import Any

import numpy as np

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]
MERGES = ["Ġ A", "Ġ B", "h e", "Ġ t", "Ġt he", "i n"]
SMALL = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
         "max_position_embeddings": 512, "initializer_range": 0.4}  # fmt: skip


def alphabet() -> list[str]:
    """The 256 characters that stand for bytes in byte-level BPE."""
    from tokenizers import pre_tokenizers

    return sorted(pre_tokenizers.ByteLevel.alphabet())


def words() -> list[str]:
    return SPECIALS + alphabet() + [merge.replace(" ", "") for merge in MERGES]


def peer(family: str, **more: Any) -> Any:
    """A transformers model of a family with random weights, float32."""
    import torch
    import transformers as t

    sizes = SMALL | {"vocab_size": len(words())} | more
    configs = {
        "llama": lambda: t.LlamaConfig(**sizes),
        "qwen2": lambda: t.Qwen2Config(**sizes),
        "qwen3": lambda: t.Qwen3Config(**sizes, head_dim=16),
        "gemma3": lambda: t.Gemma3TextConfig(
            **sizes | {"num_hidden_layers": 7}, head_dim=16, query_pre_attn_scalar=16, sliding_window=8,
            layer_types=["sliding_attention"] * 5 + ["full_attention", "sliding_attention"],
        ),
    }  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(3)
        made = t.AutoModelForCausalLM.from_config(configs[family]()).eval().float()
        for name, parameter in made.named_parameters():
            if "norm" in name or "bias" in name:
                torch.nn.init.normal_(parameter, 0.0 if family == "gemma3" or "bias" in name else 1.0, 0.3)
    return made


_NAMES = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip


def _name(name: str, family: str) -> str:
    """transformers' name of a weight → the GGUF name, as llama.cpp's converter gives it."""
    gemma = {
        "post_attention_layernorm": "post_attention_norm",
        "pre_feedforward_layernorm": "ffn_norm",
        "post_feedforward_layernorm": "post_ffw_norm",
    }
    table = _NAMES | (gemma if family == "gemma3" else {"post_attention_layernorm": "ffn_norm"})
    fixed = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}
    if name in fixed:
        return fixed[name]
    _, _, number, rest = name.split(".", 3)
    inner, _, kind = rest.rpartition(".")
    return f"blk.{number}.{table[inner]}.{kind}"


def _interleave(array: np.ndarray, heads: int) -> np.ndarray:
    """The order of rows that llama.cpp's converter gives queries and keys of the llama family."""
    return array.reshape(heads, 2, len(array) // heads // 2, *array.shape[1:]).swapaxes(1, 2).reshape(array.shape)


def write(path: Path, family: str, model: Any, **meta: Any) -> Path:
    """Write a transformers model as a GGUF file with a byte-level vocabulary; ``meta`` replaces keys, None drops them."""
    from gguf import GGUFWriter

    config = model.config
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    writer = GGUFWriter(str(path), family)
    keys: dict[str, Any] = {
        f"{family}.block_count": config.num_hidden_layers, f"{family}.context_length": config.max_position_embeddings,
        f"{family}.embedding_length": config.hidden_size, f"{family}.feed_forward_length": config.intermediate_size,
        f"{family}.attention.head_count": config.num_attention_heads, f"{family}.attention.head_count_kv": config.num_key_value_heads,
        f"{family}.attention.key_length": size, f"{family}.attention.layer_norm_rms_epsilon": float(config.rms_norm_eps),
        f"{family}.rope.freq_base": 1000000.0 if family == "gemma3" else 10000.0,
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2", "tokenizer.ggml.tokens": words(), "tokenizer.ggml.merges": MERGES,
        "tokenizer.ggml.token_type": [3] * len(SPECIALS) + [1] * (len(words()) - len(SPECIALS)),
        "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.add_bos_token": True,
        "tokenizer.chat_template": TEMPLATE,
    }  # fmt: skip
    if family == "gemma3":
        keys["gemma3.attention.sliding_window"] = config.sliding_window
    for key, value in (keys | meta).items():
        _put(writer, key, value)
    for name, array in weights(model, family).items():
        writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _put(writer: Any, key: str, value: Any) -> None:
    kinds = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, list: writer.add_array}
    if value is not None:
        kinds[type(value)](key, value)


def weights(model: Any, family: str) -> dict[str, np.ndarray]:
    """The weights under their GGUF names, changed as llama.cpp's converter changes them."""
    config, found = model.config, {}
    tied = config.tie_word_embeddings
    for name, tensor in model.state_dict().items():
        array = tensor.numpy()
        if name == "lm_head.weight" and tied:
            continue
        if family == "llama" and ".q_proj." in name:
            array = _interleave(array, config.num_attention_heads)
        if family == "llama" and ".k_proj." in name:
            array = _interleave(array, config.num_key_value_heads)
        found[_name(name, family)] = array + 1 if family == "gemma3" and "norm" in name else array
    return found


def logits(model: Any, row: tuple[int, ...]) -> np.ndarray:
    """transformers' logits [tokens, vocabulary] of one row, computed alone and without a cache."""
    import torch

    with torch.inference_mode():
        return model(torch.tensor([row]), use_cache=False).logits[0].float().numpy()
