// The builtin list of secrets: names whose files are never read, listed into, searched or written, under every root, for anyone.
// Only the operator's `secrets.except` lifts an entry. What is said here is what docs/policy.md prints.

/** Directories that hold nothing but credentials. Everything in them is secret, public halves too. */
export const secretDirs: readonly string[] = [
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".oci",
  ".password-store",
  ".config/gcloud",
  ".config/gh",
  ".config/op",
  ".config/hub",
  ".config/rclone",
  ".local/share/keyrings",
  ".local/share/hallpass",
  ".local/state/hallpass",
  ".terraform.d",
  "Library/Keychains",
  "Library/Application Support/hallpass",
].map((name) => `**/${name}`);

/** Names that look like secrets and are made to be shared. They stay readable, unless a secret directory holds them. */
export const notSecret: readonly string[] = [
  ".env.example",
  ".env.sample",
  ".env.template",
  ".env.*.example",
  ".env.*.sample",
  ".env.*.template",
  "id_*.pub",
  "*.pem.pub",
  "*.key.pub",
].map((name) => `**/${name}`);

/** Files that hold a credential by their name. */
export const secretNames: readonly string[] = [
  // Environment files, in every variant.
  ".env*",
  "*.env",
  ".flaskenv",
  ".dev.vars*",
  "local.settings.json",
  // Private keys and stores of them.
  "*.pem",
  "*.key",
  "*.p8",
  "*.p12",
  "*.pfx",
  "*.jks",
  "*.keystore",
  "*.ppk",
  "*.kdb",
  "*.kdbx",
  "*.agekey",
  "id_rsa*",
  "id_dsa*",
  "id_ecdsa*",
  "id_ed25519*",
  "wallet.dat",
  // Passwords and tokens of tools.
  ".netrc",
  "_netrc",
  ".git-credentials",
  ".pgpass",
  "pgpass.conf",
  ".my.cnf",
  ".mylogin.cnf",
  ".htpasswd",
  ".pypirc",
  ".dockercfg",
  ".docker/config.json",
  ".boto",
  ".s3cfg",
  ".passwd-s3fs",
  ".vault-token",
  ".vault_pass*",
  ".vault-pass*",
  ".sentryclirc",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".ivy2/.credentials",
  ".config/composer/auth.json",
  ".composer/auth.json",
  ".codex/auth.json",
  ".local/share/opencode/auth.json",
  ".config/configstore/*.json",
  ".ngrok2/*.yml",
  ".Xauthority",
  ".ICEauthority",
  ".*_history",
  // Cloud and cluster credentials.
  "credentials",
  "credentials.json",
  "credentials.yml",
  "credentials.yaml",
  "credentials.toml",
  "credentials.csv",
  ".credentials",
  ".credentials.json",
  "application_default_credentials.json",
  "client_secret*.json",
  "service-account*.json",
  "service_account*.json",
  "serviceaccount*.json",
  "gha-creds-*.json",
  "kubeconfig",
  ".kubeconfig",
  "*.kubeconfig",
  "*.tfstate",
  "*.tfstate.*",
  "*.tfvars",
  "*.tfvars.json",
  ".terraformrc",
  "secrets.json",
  "secrets.yml",
  "secrets.yaml",
  "secrets.toml",
].map((name) => `**/${name}`);

/** System files that hold credentials, wherever a root may reach. */
export const secretPlaces: readonly string[] = [
  "/etc/shadow*",
  "/etc/gshadow*",
  "/etc/sudoers*",
  "/etc/ssl/private",
  "/etc/ssh/ssh_host_*",
  "/run/secrets",
  "/run/credentials",
];

/** Files that hold a credential only sometimes: does this text? What cannot be read as ordinary settings counts as one. */
export const secretByContent: ReadonlyMap<string, (text: string) => boolean> = new Map([
  [".npmrc", (text: string) => !text.split(/\r?\n/).every(isPlainSetting)],
  [".yarnrc", (text: string) => CREDENTIAL.test(text)],
  [".yarnrc.yml", (text: string) => CREDENTIAL.test(text)],
  ["bunfig.toml", (text: string) => CREDENTIAL.test(text)],
  ["pip.conf", (text: string) => CREDENTIAL.test(text)],
  ["nuget.config", (text: string) => CREDENTIAL.test(text)],
]);

// A key that is called so, a name and password in an address, or a token by its known beginning.
const CREDENTIAL =
  /_auth|auth_?token|password|passwd|secret|api_?key|npmauth|token\s*[=:]|:\/\/[^/\s@]+@|\b(?:npm|ghp|gho|ghs|glpat|pypi)[-_][A-Za-z0-9]/i;

/** A comment, a section, or one setting that is no credential. A value taken from the environment (`${TOKEN}`) is none. */
function isPlainSetting(line: string): boolean {
  const plain = line.replaceAll(/\$\{\w+\}/g, "").trim();
  if (plain === "" || plain.startsWith("#") || plain.startsWith(";")) return true;
  return /^[@\w:/.[\]-]+\s*=/.test(plain) && (!CREDENTIAL.test(plain) || /=\s*$/.test(plain));
}

// A backup of a secret is a secret: editors and people add these to a name.
const ADDED = /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8}|~[0-9]{1,8}~))$/;
const DECORATED = /(?:~|\.(?:bak|backup|old|orig|save|saved|sw[k-p]|tmp|temp|copy|rej|[0-9]{1,8})|#)(?:\/|$)/;
const SWAP = /^\.(.+)\.sw[k-p]$/;

/** What the path may be a backup of: the endings taken off each name. None if there are no such endings. Takes a folded path. */
export function undecorated(folded: string): readonly string[] {
  if (!DECORATED.test(folded)) return NOTHING;
  const names = folded.split("/");
  const plain = names.map(undecoratedName);
  // Vim writes `.name.swp` for `name`, and for `.name` as well.
  const swapped = SWAP.exec(names.at(-1) ?? "")?.[1];
  return swapped === undefined ? [plain.join("/")] : [plain.join("/"), [...plain.slice(0, -1), undecoratedName(swapped)].join("/")];
}

function undecoratedName(name: string): string {
  let plain = name.startsWith("#") && name.endsWith("#") && name.length > 2 ? name.slice(1, -1) : name;
  for (let shorter = plain.replace(ADDED, ""); shorter !== plain && shorter !== ""; shorter = plain.replace(ADDED, "")) plain = shorter;
  return plain;
}

const NOTHING: readonly string[] = [];
