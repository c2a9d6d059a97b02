"""Tiny models with random weights, saved as any transformers model is, and a bare reading of them to hold results to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from endonym.records import Message, Model, Prompt, Response

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ["<unk>", "<pad>", "<bos>", "<eos>", "<|im_start|>", "<|im_end|>"]
WORDS = "The capital of Portugal is Lisbon and that of Spain is Madrid; a river, a town, the sea. Question: Which? Answer: A B C D 1 2 3"


def tokenizer(template: str = "", *, bos: bool = True, end: bool = False) -> Any:
    """A byte-level BPE of 400 words that writes <bos> itself, or </s>-like ``<eos>`` behind a text (``end``)."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=SPECIALS, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator([WORDS] * 3, trainer)
    if bos or end:
        single = f"{'<bos> ' if bos else ''}$A{' <eos>' if end else ''}"
        made.post_processor = processors.TemplateProcessing(single=single, special_tokens=[("<bos>", 2), ("<eos>", 3)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>", unk_token="<unk>",
        additional_special_tokens=SPECIALS[4:],
    )  # fmt: skip
    if template:
        fast.chat_template = template
    return fast


SMALL = {"vocab_size": 400, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "max_position_embeddings": 256, "bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 1,
         "initializer_range": 0.5}  # fmt: skip


def config(kind: str) -> Any:
    import transformers as t

    if kind == "llama":
        return t.LlamaConfig(**SMALL)
    if kind == "qwen2":
        return t.Qwen2Config(**SMALL)
    if kind == "gemma3":
        return t.Gemma3TextConfig(**SMALL, head_dim=8, sliding_window=12, layer_types=["sliding_attention", "full_attention"])
    if kind == "gemma2":  # caps its logits
        small = SMALL | {"final_logit_softcapping": 3.0}
        return t.Gemma2Config(**small, head_dim=8, sliding_window=12, layer_types=["sliding_attention", "full_attention"])
    if kind == "gpt2":
        small = {"vocab_size": 400, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 256, "initializer_range": 0.5}
        return t.GPT2Config(**small, bos_token_id=2, eos_token_id=3)
    if kind == "bloom":
        return t.BloomConfig(vocab_size=400, hidden_size=32, n_layer=2, n_head=4, bos_token_id=2, eos_token_id=3, initializer_range=0.5)
    if kind == "mamba":
        return t.MambaConfig(vocab_size=400, hidden_size=32, num_hidden_layers=2, state_size=8, bos_token_id=2, eos_token_id=3)
    small = {"vocab_size": 400, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 1,
             "pad_token_id": 1, "eos_token_id": 3, "initializer_factor": 2.0 if kind == "t5" else 1.0}  # fmt: skip
    return t.MT5Config(**small) if kind == "mt5" else t.T5Config(**small)


def save(folder: Path, kind: str, template: str = "", **settings: Any) -> Path:
    """A model of a kind with its tokenizer in a folder."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    encoder = kind in ("t5", "mt5")
    with torch.random.fork_rng():
        torch.manual_seed(7)
        made = (AutoModelForSeq2SeqLM if encoder else AutoModelForCausalLM).from_config(config(kind))
    made.save_pretrained(folder)
    tokenizer(template, **({"bos": False, "end": True} if encoder else {}) | settings).save_pretrained(folder)
    return folder


def hf(folder: Path, **params: Any) -> Any:
    """The provider; on one thread, because tiny products are slower on several, and much slower on a busy machine."""
    import torch

    from endonym.models import provider

    torch.set_num_threads(1)
    return provider(Model(name=f"hf/{folder}", params={"device": "cpu", "dtype": "float32", **params}))


def raw(text: str, continuations: Sequence[str] = (), **fields: Any) -> Prompt:
    return Prompt(item="i", messages=(Message(role="user", content=text),), continuations=tuple(continuations), **fields)


def answers(who: Any, prompts: Sequence[Prompt]) -> list[Response]:
    """Responses in the order of the prompts; each prompt has exactly one."""
    every = list(who.answer(prompts))
    found = {response.prompt: response for response in every}
    if len(every) != len(prompts):
        raise ValueError(f"{len(every)} responses for {len(prompts)} prompts")
    return [found[prompt.id] for prompt in prompts]


def parts(folder: Path) -> tuple[Any, Any]:
    """transformers' own model and tokenizer."""
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    auto = AutoModelForSeq2SeqLM if AutoConfig.from_pretrained(folder).is_encoder_decoder else AutoModelForCausalLM
    return auto.from_pretrained(folder, dtype="float32").eval(), AutoTokenizer.from_pretrained(folder)


def bare(folder: Path, prompts: Sequence[Prompt]) -> list[list[float]]:
    """Log-likelihoods by the plainest way: one whole sequence at a time, all logits, no cache, no batch."""
    import torch

    model, tok = parts(folder)
    found = []
    with torch.no_grad():
        for prompt in prompts:
            text = prompt.messages[0].content
            head = tok(text).input_ids
            values = []
            for continuation in prompt.continuations:
                ids = tok(text + continuation).input_ids
                if ids[: len(head)] != head:
                    raise ValueError("this text is not for the bare reading: its end merges with the continuation")
                logs = model(torch.tensor([ids])).logits[0].log_softmax(-1)
                values.append(sum(float(logs[at - 1, ids[at]]) for at in range(len(head), len(ids))))
            found.append(values)
    return found
