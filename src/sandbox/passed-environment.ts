// Selects what commands get of the caller's environment: how tools are to behave and where they are. By name, and never what looks like a credential.

/** Whole names, and endings of names. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "NODE_ENV EDITOR VISUAL PAGER GIT_PAGER LESS CI TZ COLORTERM NO_COLOR FORCE_COLOR CLICOLOR COLUMNS LINES MAKEFLAGS CFLAGS CXXFLAGS LDFLAGS CC CXX " +
    "GOPATH GOROOT GOFLAGS GOOS GOARCH CGO_ENABLED GOTOOLCHAIN RUSTFLAGS RUST_BACKTRACE RUST_LOG PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED PYTHONHASHSEED " +
    "VIRTUAL_ENV CONDA_PREFIX PYENV_VERSION RBENV_VERSION NVM_BIN PNPM_HOME BUN_INSTALL DENO_INSTALL TEST_ENV APP_ENV RAILS_ENV RACK_ENV DJANGO_SETTINGS_MODULE"
  ).split(" "),
);
const ENDINGS = ["_HOME", "_ROOT", "_VERSION"];
const LOCALE = /^(?:LANG|LANGUAGE|LC_[A-Z]+)$/;
const CREDENTIAL = /KEY|TOKEN|SECRET|PASS|CRED|AUTH|COOKIE|PRIVATE|SIGN|VAULT|CERT/i;
const LONGEST = 4096;

/** What of these variables a command gets. Ours, those of its own home and those that a shell or loader takes orders from are never among them. */
export function passedOn(env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && isPassed(name, value) ? [[name, value] as const] : [])),
  );
}

function isPassed(name: string, value: string): boolean {
  const isNamed = NAMES.has(name) || LOCALE.test(name) || ENDINGS.some((ending) => name.endsWith(ending));
  if (!isNamed || CREDENTIAL.test(name) || /^(?:HALLPASS|XDG|LD|DYLD|SSH|GPG|DBUS|BASH)_/.test(name)) return false;
  // An address with a password in it, or a text that was never meant to be one word.
  return value.length <= LONGEST && !/:\/\/[^/]*@|[\n\r\0]/.test(value);
}
