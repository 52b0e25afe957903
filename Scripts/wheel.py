"""Packs an installed command as a Python wheel: wheel.py STAGE VERSION FOLDER, where STAGE has bin and share.

pip, pipx and uv then install the command as they install any program, into a virtual environment with its recordings,
manual pages and completions. The wheel contains no Python. Its tag names the oldest glibc with every symbol that the
program needs. Times of files come from SOURCE_DATE_EPOCH, so that the same stage makes the same wheel.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import zipfile

METADATA = """Metadata-Version: 2.4
Name: patchbay
Version: {version}
Summary: A local-first data gateway: copies JSON APIs into exchangeable storages and serves them
License-Expression: Apache-2.0
License-File: LICENSE
Project-URL: Source, https://github.com/patchbay/patchbay
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.7
"""
WHEEL = """Wheel-Version: 1.0
Generator: patchbay
Root-Is-Purelib: false
Tag: {tag}
"""


def oldest_glibc(program):
    """The newest version of glibc that a symbol of the program asks for, such as (2, 34)."""
    symbols = subprocess.run(["objdump", "-T", program], check=True, capture_output=True, text=True).stdout
    return max(tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", symbols))


def main():
    stage, version, folder = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    major, minor = oldest_glibc(stage / "bin/patchbay")[:2]
    tag = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"
    name = f"patchbay-{version}"
    about = f"{name}.dist-info"
    licence = (stage / "share/doc/patchbay/copyright").read_bytes()

    files = {f"{name}.data/scripts/patchbay": (stage / "bin/patchbay").read_bytes()}
    for file in sorted((stage / "share").rglob("*")):
        if file.is_file():
            files[f"{name}.data/data/{file.relative_to(stage)}"] = file.read_bytes()
    files[f"{about}/licenses/LICENSE"] = licence

    files[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{about}/WHEEL"] = WHEEL.format(tag=tag).encode()
    rows = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    files[f"{about}/RECORD"] = "".join(rows + [f"{about}/RECORD,,\n"]).encode()

    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", "315532800")))[:6]
    target = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(target)


main()
