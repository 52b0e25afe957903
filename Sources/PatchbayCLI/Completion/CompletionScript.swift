import ArgumentParser

/// A shell whose completion runs `patchbay complete`, which knows the resources of the current configuration.
enum CompletionScript: String, CaseIterable, ExpressibleByArgument {
    case bash, zsh, fish

    /// The script for the shell.
    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    // Readline treats the text after "=" or ":" as a separate word.
    private static let bashText = #"""
        _patchbay() {
            local line=${COMP_LINE:0:COMP_POINT} words typed before
            read -ra words <<<"$line"
            [[ $line == *[[:space:]] ]] && words+=('')
            typed=${words[-1]}
            mapfile -t COMPREPLY < <("${words[0]/#\~/$HOME}" complete -- "${words[@]:1}" 2>/dev/null | cut -f 1)
            if [[ ${COMPREPLY[0]} == :file ]]; then
                compopt -o filenames
                mapfile -t COMPREPLY < <(compgen -f -- "$typed")
                return
            fi
            [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
            before=${typed%"${typed##*[=:]}"}
            COMPREPLY=("${COMPREPLY[@]#"$before"}")
        }
        complete -F _patchbay patchbay

        """#

    private static let zshText = #"""
        #compdef patchbay
        local -a found names
        found=("${(@f)$("${(Q)words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
        if [[ $found[1] == :file ]]; then
            _files
            return
        fi
        names=("${(@)found%%$'\t'*}")
        found=("${(@)found//$'\t'/  -- }")
        if [[ $names[1] == *= ]]; then
            compadd -S '' -a names
        elif [[ -n $names[1] ]]; then
            compadd -l -d found -a names
        fi

        """#

    private static let fishText = #"""
        function __patchbay_complete
            set -l words (commandline -opc) (commandline -ct)
            set -l found ($words[1] complete -- $words[2..] 2>/dev/null)
            if test "$found[1]" = :file
                __fish_complete_path (commandline -ct)
            else if set -q found[1]
                printf '%s\n' $found
            end
        end
        complete -c patchbay -f -a '(__patchbay_complete)'

        """#
}
