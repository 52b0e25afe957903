#!/bin/sh
# Installs the built command with its recordings, manual pages, completions and systemd units below a prefix, or removes
# them again:
#
#   Scripts/install.sh PATCHBAY PREFIX           PATCHBAY is the program, PREFIX a folder such as /usr/local
#   Scripts/install.sh --remove PREFIX
#
# For building packages, DESTDIR is put before the prefix, and UNIT_PREFIX is the prefix in systemd units if it differs.
# ZSH_FUNCTIONS is the folder for zsh, below the prefix.
set -eu
patchbay=$1
root=${DESTDIR:-}$2
zsh=${ZSH_FUNCTIONS:-share/zsh/site-functions}

if [ "$patchbay" = --remove ]; then
    cd "$root" 2>/dev/null || {
        echo "nothing to remove: \"$root\" is not a folder" >&2
        exit 1
    }
    rm -f bin/patchbay share/man/man1/patchbay.1 share/man/man5/patchbay.conf.5 "$zsh/_patchbay" \
        share/bash-completion/completions/patchbay share/fish/vendor_completions.d/patchbay.fish \
        share/systemd/user/patchbay.socket share/systemd/user/patchbay.service
    rm -rf share/patchbay share/doc/patchbay
    echo "removed patchbay from $root"
    exit 0
fi

cd "$(dirname "$0")/.."
put() { # put FILE: writes standard input to this file below the prefix
    mkdir -p "$(dirname "$root/$1")"
    cat >"$root/$1.new"
    chmod 644 "$root/$1.new"
    mv "$root/$1.new" "$root/$1"
}

# Only debuggers need the symbols; the build in the checkout keeps them.
mkdir -p "$root/bin"
# Without hashes of what the compiler knew about the checkout, two builds of a commit are the same byte for byte.
strip --remove-section=.swift_modhash --remove-section=.note.gnu.build-id -o "$root/bin/patchbay.new" "$patchbay"
chmod 755 "$root/bin/patchbay.new"
mv "$root/bin/patchbay.new" "$root/bin/patchbay"

"$patchbay" manual patchbay | put share/man/man1/patchbay.1
"$patchbay" manual patchbay.conf | put share/man/man5/patchbay.conf.5
"$patchbay" completion bash | put share/bash-completion/completions/patchbay
"$patchbay" completion zsh | put "$zsh/_patchbay"
"$patchbay" completion fish | put share/fish/vendor_completions.d/patchbay.fish
put share/systemd/user/patchbay.socket <Scripts/systemd/patchbay.socket
sed "s|@prefix@|${UNIT_PREFIX:-$2}|" Scripts/systemd/patchbay.service | put share/systemd/user/patchbay.service
for recording in Recordings/*.har; do put "share/patchbay/recordings/${recording##*/}" <"$recording"; done
put share/doc/patchbay/copyright <LICENSE
put share/doc/patchbay/reference.conf <Configs/reference.conf

# The program contains its dependencies, so their licences are installed too: those of packages, of C libraries, and of
# the Swift runtime.
licence() { # licence FILE NAME: installs a licence that must exist
    [ -s "$1" ] || {
        echo "install.sh: the licence of $2 was not found at $1" >&2
        exit 1
    }
    put "share/doc/patchbay/licences/$2" <"$1"
}
for package in .build/checkouts/*/; do
    part=$(basename "$package")
    for text in "$package"LICENSE* "$package"NOTICE*; do
        [ ! -e "$text" ] || licence "$text" "$part.${text##*/}"
    done
    ls "$root/share/doc/patchbay/licences/$part".LICENSE* >/dev/null
done
# Debian describes the licences of each of its packages in one file.
for archive in .build/static/*.a; do
    package=$(dpkg-query --search "$(realpath "$archive")" 2>/dev/null | cut -d : -f 1)
    [ -z "$package" ] || licence "/usr/share/doc/$package/copyright" "$package.copyright"
done
licence "$(dirname "$(realpath "$(command -v swift)")")/../share/swift/LICENSE.txt" swift.LICENSE.txt
echo "installed $("$root/bin/patchbay" --version) as $root/bin/patchbay"
