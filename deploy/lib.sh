# Steps shared by deploy/run and deploy/test. Sourced by bash; sets `root` to the folder of the checkout.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
started=$SECONDS
step_number=0
step_count=${step_count:-0}
step_name=start

# What the compiler, the package manager and the three system libraries need on a bare Debian 12.
build_packages=(
    binutils ca-certificates g++ git libcurl4-openssl-dev libncurses6 libsqlite3-dev libssl-dev libstdc++6 libxml2 libzmq3-dev tzdata
    zlib1g-dev
)
# What the tests use beside it: real JSON files, a second HTTP server, the reference encoder, a foreign client that attacks.
test_packages=(iso-codes protobuf-compiler python3 python3-protobuf python3-zmq)
oldest_swift=6.2
# How everything that is built with optimization is built: one way, for another one compiles all of it again. `find_swift` completes it.
release=(-c release)

elapsed() {
    local seconds=$((SECONDS - started))
    printf '%d:%02d' $((seconds / 60)) $((seconds % 60))
}

# step WHAT: announces the next of `step_count` steps with the time since the start.
step() {
    step_number=$((step_number + 1))
    step_name=$1
    printf '[%d/%d] %s (%s)\n' "$step_number" "$step_count" "$step_name" "$(elapsed)"
}

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit "${2:-1}"
}

# watched COMMAND...: shows what the command prints, and a line of our own when it is silent for 8 seconds.
# Returns the command's own exit code.
watched() {
    "$@" 2>&1 < /dev/null | show_progress
    return "${PIPESTATUS[0]}"
}

show_progress() {
    local line result
    while true; do
        IFS= read -r -t 8 line
        result=$?
        if ((result == 0)); then
            printf '%s\n' "$line"
        elif ((result > 128)); then
            [ -z "$line" ] || printf '%s\n' "$line"
            printf '      still at it: %s (%s)\n' "$step_name" "$(elapsed)"
        else
            [ -z "$line" ] || printf '%s\n' "$line"
            return 0
        fi
    done
}

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# install_missing PACKAGE...: installs with apt when root, else says exactly what to install and ends.
install_missing() {
    local package missing=()
    if ! command -v dpkg-query > /dev/null; then
        echo "      this is not a Debian system; it is assumed to have the equivalents of: $*"
        return 0
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        echo "      all system packages are installed"
        return 0
    fi
    if [ "$(id -u)" -ne 0 ]; then
        fail "these packages are missing; install them and start again:
    sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}"
    fi
    echo "      installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    watched apt-get -q -o Dpkg::Use-Pty=0 update \
        || fail "apt-get update failed: see the lines above; check the network and /etc/apt/sources.list"
    watched apt-get -q -o Dpkg::Use-Pty=0 install --yes --no-install-recommends "${missing[@]}" \
        || fail "apt-get could not install: ${missing[*]}"
}

# find_swift: puts a toolchain on PATH or says where to get one.
find_swift() {
    local folder version
    if ! command -v swift > /dev/null; then
        for folder in /opt/swift/usr/bin "${HOME:-/root}/.local/share/swiftly/bin" /usr/local/swift/usr/bin; do
            if [ -x "$folder/swift" ]; then
                PATH=$folder:$PATH
                break
            fi
        done
    fi
    command -v swift > /dev/null || fail "no Swift toolchain: install Swift $oldest_swift or newer from
    https://www.swift.org/install/linux/  (or unpack a toolchain into /opt/swift), put its bin folder on PATH and start again"
    version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || fail "$(command -v swift) does not run: $(swift --version 2>&1 | tail -n 1)"
    if [ "$(printf '%s\n%s\n' "$oldest_swift" "$version" | sort -V | head -n 1)" != "$oldest_swift" ]; then
        fail "Swift $version is too old: install Swift $oldest_swift or newer from https://www.swift.org/install/linux/"
    fi
    echo "      Swift $version, $(command -v swift)"
    # Runtime and Foundation inside the program: a job there and back takes 8 % less time, a command starts in two thirds of it, and the one
    # file runs on machines without Swift. Not every packaged toolchain brings the archives.
    folder=$(readlink -f "$(command -v swift)")
    if [ -f "${folder%/bin/*}/lib/swift_static/linux/libFoundation.a" ]; then release+=(--static-swift-stdlib); fi
}

# build OPTION...: builds, and says where to look if that fails.
#
# With hash seeds that differ from run to run the flags of packages with traits come in another order each time the build is planned anew (a new
# file, another PATH), and all that stands on them is compiled again: 28 to 220 s instead of 12. Never set for tests, which must not rely on it.
build() {
    watched env SWIFT_DETERMINISTIC_HASHING=1 swift build --package-path "$root" "$@" || fail "the build failed: see the lines above" $?
}

# hand_written_swift: the Swift files of the checkout that people wrote, one path a line, relative to `root`.
hand_written_swift() {
    if git -C "$root" rev-parse --git-dir > /dev/null 2>&1; then
        git -C "$root" ls-files --cached --others --exclude-standard -- '*.swift'
    else
        (cd "$root" && find . -name '*.swift' -not -path '*/.build*' | sed 's|^\./||')
    fi | grep -v '/Generated/' | while IFS= read -r file; do
        [ ! -f "$root/$file" ] || printf '%s\n' "$file"
    done | sort
}
