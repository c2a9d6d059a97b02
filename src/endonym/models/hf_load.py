"""Load configuration, tokenizer and model through transformers, quietly, and say in plain words what stands in the way.

In: a :class:`~endonym.models.hf_find.Place` and settings. Out: transformers' own objects, ready to be asked. Nothing is
imported before it is needed; transformers' verbosity is lowered only while it is called.
"""

import contextlib
import importlib.util
import warnings
from collections.abc import Iterator
from typing import Any

from ..errors import ModelError, Unavailable, Unsupported
from .hf_find import Place, hub_cache, offline

PIP = "pip install 'endonym[hf]'"
_NOTHING = 50
"""The level of logging above which transformers says nothing."""


def need_libraries(name: str) -> None:
    """Raise Unavailable, with the command that helps, where torch or transformers is missing."""
    missing = [library for library in ("torch", "transformers") if importlib.util.find_spec(library) is None]
    if missing:
        raise Unavailable(f"{name}: {' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not installed: {PIP}")


def need_quantizer(name: str, quantize: str) -> None:
    """Raise Unsupported or Unavailable, before anything is loaded, where weights cannot be quantised here."""
    if not quantize:
        return
    import torch

    if not torch.cuda.is_available():
        raise Unsupported(f"{name}: quantize = {quantize!r} needs a CUDA device and there is none; leave it out, or use a GGUF file")
    if importlib.util.find_spec("bitsandbytes") is None:
        raise Unavailable(f"{name}: quantize = {quantize!r} needs bitsandbytes: pip install bitsandbytes accelerate")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence transformers' warnings and progress bars; both are as they were afterwards."""
    from huggingface_hub.utils import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars
    from transformers.utils import logging

    verbosity, bars, hub_bars = logging.get_verbosity(), logging.is_progress_bar_enabled(), not are_progress_bars_disabled()
    logging.set_verbosity(_NOTHING)
    logging.disable_progress_bar()
    disable_progress_bars()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
        if hub_bars:
            enable_progress_bars()


@contextlib.contextmanager
def explained(name: str, found: Place) -> Iterator[None]:
    """Turn what transformers raises while loading into Unavailable or Unsupported that say what to do."""
    import torch

    try:
        with quiet():
            yield
    except ModelError:
        raise
    except torch.cuda.OutOfMemoryError as problem:
        raise Unavailable(f"{name}: does not fit into the GPU's memory; try a dtype of 16 bits, quantize, or more GPUs") from problem
    except ImportError as problem:
        raise Unavailable(f"{name}: {_first(problem)}") from problem
    except (OSError, ValueError, KeyError, RuntimeError, AttributeError, TypeError) as problem:
        raise _explain(name, found, problem) from problem


def _explain(name: str, found: Place, problem: Exception) -> ModelError:
    said = _chain(problem)
    if "trust_remote_code" in said or "custom code" in said:
        return Unsupported(f"{name}: runs code of its own, which is not run unless you say trust_remote_code = true")
    if any(word in said for word in ("gated repo", "401 Client Error", "403 Client Error", "GatedRepoError", "restricted")):
        return Unavailable(f"{name}: the hub asks for a permission: accept the model's terms on its page and set HF_TOKEN")
    if "Unrecognized configuration class" in said:
        return Unsupported(f"{name}: is no causal and no encoder-decoder language model that transformers can run")
    if "does not recognize this architecture" in said or "Unrecognized model in" in said:
        return Unsupported(f"{name}: this version of transformers does not know its architecture: pip install -U transformers")
    if isinstance(problem, OSError) and found.folder is None and (found.local is None or "offline" in said or "connect" in said):
        return Unavailable(f"{name}: {_absent(found)}")
    return Unavailable(f"{name}: cannot be loaded from {found.local or found.source}: {_first(problem)}")


def _absent(found: Place) -> str:
    at = f"{found.source}{'@' + found.revision if found.revision else ''}"
    where = f"is not in {hub_cache()}"
    if offline():
        return f"{at} {where} and HF_HUB_OFFLINE is set: unset it to download, or name a folder as hf/./FOLDER"
    return f"{at} {where} and the hub does not give it: check the name and the connection, or set HF_TOKEN if the model is private"


def _chain(problem: BaseException | None) -> str:
    said = []
    while problem is not None:
        said.append(f"{type(problem).__name__}: {problem}")
        problem = problem.__cause__ or problem.__context__
    return "\n".join(said)


def _first(problem: Exception) -> str:
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return lines[0] if lines else type(problem).__name__


def _common(found: Place, params: dict[str, Any]) -> dict[str, Any]:
    common: dict[str, Any] = {"trust_remote_code": bool(params["trust_remote_code"]), "local_files_only": offline()}
    if found.folder is None:
        common["cache_dir"] = str(hub_cache())
        if found.commit or found.revision:
            common["revision"] = found.commit or found.revision
    if found.gguf:
        common["gguf_file"] = found.gguf
    return common


def load_config(name: str, found: Place, params: dict[str, Any]) -> Any:
    """The model's configuration; the first thing to fail where there is no model."""
    from transformers import AutoConfig

    with explained(name, found):
        return AutoConfig.from_pretrained(found.source, **_common(found, params))


def load_tokenizer(name: str, found: Place, params: dict[str, Any]) -> Any:
    """The model's tokenizer, or the one that the setting ``tokenizer`` names."""
    from transformers import AutoTokenizer

    with explained(name, found):
        if params["tokenizer"]:
            code = bool(params["trust_remote_code"])
            return AutoTokenizer.from_pretrained(params["tokenizer"], trust_remote_code=code, local_files_only=offline())
        return AutoTokenizer.from_pretrained(found.source, **_common(found, params))


def load_model(name: str, found: Place, params: dict[str, Any], config: Any) -> Any:
    """The model on its device, for asking only. Its own habits of sampling are laid aside: the settings alone decide."""
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, GenerationConfig

    auto = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
    dtype = "auto" if params["dtype"] == "auto" else getattr(torch, params["dtype"])
    settings = _common(found, params) | {"config": config, "dtype": dtype}
    if params["attn_implementation"]:
        settings["attn_implementation"] = params["attn_implementation"]
    device = _device(params["device"])
    mapped = device == "auto" or isinstance(device, dict)
    if params["quantize"]:
        settings |= {"quantization_config": _quantization(params["quantize"]), "device_map": device if mapped else {"": device}}
    elif mapped:
        settings["device_map"] = device
    with explained(name, found):
        model: Any = auto.from_pretrained(found.source, **settings)
        if not mapped and not params["quantize"]:
            model.to(device)
        kept = ("eos_token_id", "pad_token_id", "bos_token_id", "decoder_start_token_id", "forced_bos_token_id")
        habits = model.generation_config
        model.generation_config = GenerationConfig(**{key: getattr(habits, key) for key in kept if getattr(habits, key, None) is not None})
        return model.eval()


def _device(asked: Any) -> Any:
    """``auto`` is the GPU, all GPUs where there are several, else the CPU."""
    import torch

    if asked != "auto":
        return asked
    if not torch.cuda.is_available():
        return "cpu"
    return "auto" if torch.cuda.device_count() > 1 else "cuda:0"


def _quantization(quantize: str) -> Any:
    import torch
    from transformers import BitsAndBytesConfig

    if quantize == "8bit":
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
