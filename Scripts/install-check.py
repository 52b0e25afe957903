"""Installs and uses each package of `make dist` on a Debian system that has nothing else: install-check.py DIST

The systems are made by debootstrap, as root, in a folder that is removed at the end: one with Debian's smallest set of
packages for the tarball and the Debian package, one that also has python3-venv and pipx for the wheel. In each, the
command lists the bundled users, serves them, fetches over HTTPS from a server whose certificate an authority of its own
has signed, and says what to do without certificates. Then it is uninstalled, and every file that was not there before
is an error. MIRROR and SUITE choose another mirror and release.
"""

import contextlib
import glob
import http.server
import os
import shlex
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time

MIRROR = os.environ.get("MIRROR", "http://deb.debian.org/debian")
SUITE = os.environ.get("SUITE", "bookworm")
HOME = "/home/newcomer"
DEFINITION = """api = shop
base-url = https://localhost:{port}
items.path = /items
items.key = id
items.field.id = integer
items.field.name = text
"""


class Items(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = b'[{"id": 1, "name": "lantern"}, {"id": 2, "name": "compass"}]'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def https_server(folder):
    """Serves items over HTTPS; folder/ca.pem has the authority that signed the server's certificate."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Authority", "-days", "2")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    with open(f"{folder}/names", "w") as file:
        file.write("subjectAltName=DNS:localhost")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-out", "server.pem", "-extfile", "names", "-days", "2")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Items)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()


class System:
    """A root folder with Debian in it."""

    def __init__(self, root, *more):
        self.root = root
        include = ["--include=" + ",".join(more)] if more else []
        subprocess.run(["debootstrap", "--variant=minbase", *include, SUITE, root, MIRROR], check=True,
                       stdout=subprocess.DEVNULL)
        os.makedirs(root + HOME)
        # Installers of whole systems write it.
        with open(f"{root}/etc/hosts", "w") as file:
            file.write("127.0.0.1 localhost\n")

    def run(self, command, check=True):
        """Runs a shell command inside, with /proc and /dev and without the variables of this machine."""
        inside = f"mount -t proc proc {self.root}/proc && mount --rbind /dev {self.root}/dev && exec " + shlex.join(
            ["chroot", self.root, "env", "-i", f"HOME={HOME}", f"PATH={HOME}/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
             "sh", "-euc", f"cd {HOME}\n{command}"])
        done = subprocess.run(["unshare", "--mount", "--propagation", "private", "sh", "-c", inside],
                              capture_output=True, text=True, timeout=600)
        if check and done.returncode != 0:
            raise SystemExit(f"install-check: status {done.returncode}: {command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def timed(self, command):
        start = time.monotonic()
        self.run(command)
        return time.monotonic() - start

    def put(self, file):
        shutil.copy(file, self.root + HOME)

    def files(self):
        """Every file and link but those of the newcomer's own folder outside of ~/.local, and of package caches."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = folder[len(self.root):]
            if inside in ("/proc", "/dev", "/tmp", "/var/cache", "/var/lib/dpkg", "/var/log"):
                folders.clear()
                continue
            found |= {f"{inside}/{name}" for name in names}
        return found


def expect(words, text, what):
    if words not in text:
        raise SystemExit(f"install-check: {what} does not say \"{words}\":\n{text}")


def use(system, command, port):
    """What a newcomer does first; returns the seconds until the first list."""
    start = time.monotonic()
    text = system.run(f"{command} list users -n 4")
    seconds = time.monotonic() - start
    expect("4 users, recorded in sample.har", text, "the first list")
    text = system.run(f"""
        {command} serve --listen unix:$HOME/s.sock 2>serve.log &
        for i in $(seq 100); do [ -S s.sock ] && break; sleep 0.1; done
        {command} sync users --set source.base-url=x 2>/dev/null || true
        kill -TERM $!
        wait $! && echo stopped
        cat serve.log""")
    expect("stopped", text, "serve")
    with open(f"{system.root}{HOME}/shop.conf", "w") as file:
        file.write(DEFINITION.format(port=port))
    fetch = f"{command} list items --source rest --set source.definition=$HOME/shop.conf --storage memory"
    # pipx brings Debian's certificates, which do not include this server's authority.
    has_certificates = os.path.exists(system.root + "/etc/ssl/certs/ca-certificates.crt")
    advice = "networking.ca-file" if has_certificates else "ca-certificates"
    expect(advice, system.run(fetch, check=False), "a fetch without the authority's certificate")
    expect("compass", system.run(f"{fetch} --set networking.ca-file=$HOME/ca.pem"), "a fetch over HTTPS")
    return seconds


def try_package(system, name, install, command, uninstall, port):
    before = system.files()
    installed = system.timed(install)
    first = use(system, command, port)
    version = system.run(f"{command} --version").strip()
    removed = system.timed(uninstall)
    own = (f"{HOME}/.local/share/patchbay", f"{HOME}/.local/state/patchbay", f"{HOME}/.cache/patchbay")
    # pipx's own pip, cache and logs, which serve every program.
    of_pipx = tuple(f"{HOME}/.local/pipx/{name}/" for name in ("shared", ".cache", "logs"))
    left = sorted(
        path for path in system.files() - before
        if not path.startswith(own + of_pipx) and os.path.dirname(path) != HOME)
    if left:
        raise SystemExit(f"install-check: {name} left behind:\n" + "\n".join(left[:20]))
    for path in own:
        shutil.rmtree(system.root + path, ignore_errors=True)
    print(f"{name:<22} install {installed:5.1f} s   first list {first:5.2f} s   uninstall {removed:5.1f} s   {version}",
          flush=True)


def main():
    dist = os.path.abspath(sys.argv[1])
    tarball, = glob.glob(f"{dist}/*.tar.gz")
    package, = glob.glob(f"{dist}/*.deb")
    wheel, = glob.glob(f"{dist}/*.whl")
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=dist, check=True)
    with tempfile.TemporaryDirectory() as work, https_server(work) as port:
        os.chmod(work, 0o755)
        bare = System(f"{work}/bare")
        python = System(f"{work}/python", "python3-venv", "pipx")
        for system in (bare, python):
            for file in (tarball, package, wheel, f"{work}/ca.pem"):
                system.put(file)
        name = os.path.basename(tarball)
        folder = name.removesuffix(".tar.gz")
        try_package(bare, "tarball", f"tar -xzf {name}", f"./{folder}/bin/patchbay", f"rm -r {folder}", port)
        name = os.path.basename(package)
        try_package(bare, "Debian package", f"dpkg --install {name}", "patchbay", "dpkg --purge patchbay", port)
        name = os.path.basename(wheel)
        try_package(
            python, "wheel, in a venv", f"python3 -m venv tools && tools/bin/pip install --quiet --no-index ./{name}",
            "tools/bin/patchbay", "tools/bin/pip uninstall --quiet --yes patchbay && rm -r tools", port)
        try_package(
            python, "wheel, by pipx", f"pipx install --pip-args=--no-index ./{name}", "patchbay",
            "pipx uninstall patchbay", port)


main()
