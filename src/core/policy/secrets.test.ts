// The builtin list of secrets as a guard sees it: what is shut under every root, and what must stay readable.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy, type NameList } from "./compile.ts";
import { emptyPolicy } from "./rule.ts";
import { undecorated } from "./backup-names.ts";
import { notSecret, secretDirs, secretNames, secretPlaces } from "./secrets.ts";

const HOME = "/home/ada";
const secretsOf = (except: readonly string[] = [], add: readonly string[] = []): NameList =>
  compilePolicy({ ...emptyPolicy, secrets: { except, add } }, HOME).secrets;

let compiled: NameList | null = null;
/** Nobody's exceptions and additions. Compiled in the first test that asks, so that a list that does not compile fails a test. */
function builtin(): NameList {
  compiled ??= secretsOf();
  return compiled;
}

/** As a walker asks: name by name from `start`, no further than the first that is withheld. */
function byWalking(list: NameList, path: string, start = "/"): boolean {
  const names = path.slice(start === "/" ? 1 : start.length + 1).split("/");
  let walk = list.walk(start);
  for (const [at, name] of names.entries()) {
    if (walk.has(name)) return true;
    if (at < names.length - 1) walk = walk.enter(name);
  }
  return false;
}

// What is shut, with the entry of the list that shuts it.
const SHUT: Readonly<Record<string, readonly string[]>> = {
  // Environment files.
  ".env*": [".env", ".env.local", ".env.production", ".env.example.local", ".env1", ".envrc", ".environment", ".env.examples", ".env.a.b"],
  "*.env": ["prod.env", "a.b.env"],
  ".flaskenv": [".flaskenv"],
  ".dev.vars*": [".dev.vars", ".dev.vars.staging"],
  "local.settings.json": ["local.settings.json"],
  // Keys and stores of them.
  "*.pem": ["server.pem", ".pem", "a.b.pem"],
  "*.key": ["server.key", "tls.key", ".key"],
  "*.p8": ["AuthKey_X.p8"],
  "*.p12": ["cert.p12"],
  "*.pfx": ["cert.pfx"],
  "*.jks": ["store.jks"],
  "*.keystore": ["debug.keystore"],
  "*.ppk": ["putty.ppk"],
  "*.kdb": ["old.kdb"],
  "*.kdbx": ["all.kdbx"],
  "*.agekey": ["me.agekey"],
  "id_rsa*": ["id_rsa", "id_rsa_work", "id_rsa.old", "id_rsa2"],
  "id_dsa*": ["id_dsa"],
  "id_ecdsa*": ["id_ecdsa", "id_ecdsa_sk"],
  "id_ed25519*": ["id_ed25519", "id_ed25519-work", "id_ed25519_sk"],
  "wallet.dat": ["wallet.dat"],
  "secring.gpg": ["secring.gpg"],
  ".config/solana/id.json": [".config/solana/id.json"],
  "*.ovpn": ["office.ovpn"],
  "wg?.conf": ["wg0.conf"],
  // Passwords and tokens of tools.
  ".netrc": [".netrc"],
  _netrc: ["_netrc"],
  ".authinfo": [".authinfo"],
  ".msmtprc": [".msmtprc"],
  ".git-credentials": [".git-credentials"],
  ".pgpass": [".pgpass"],
  "pgpass.conf": ["pgpass.conf"],
  ".my.cnf": [".my.cnf"],
  ".mylogin.cnf": [".mylogin.cnf"],
  ".htpasswd": [".htpasswd"],
  ".pypirc": [".pypirc"],
  ".dockercfg": [".dockercfg"],
  ".docker/config.json": [".docker/config.json"],
  ".dockerconfigjson": [".dockerconfigjson"],
  "rclone.conf": ["rclone.conf"],
  "kaggle.json": ["kaggle.json", ".kaggle/kaggle.json"],
  ".databrickscfg": [".databrickscfg"],
  ".vercel/auth.json": [".vercel/auth.json"],
  "com.vercel.cli/auth.json": [".local/share/com.vercel.cli/auth.json"],
  ".supabase/access-token": [".supabase/access-token"],
  ".boto": [".boto"],
  ".s3cfg": [".s3cfg"],
  ".passwd-s3fs": [".passwd-s3fs"],
  ".vault-token": [".vault-token"],
  ".vault_pass*": [".vault_pass", ".vault_pass.txt", ".vault_password"],
  ".vault-pass*": [".vault-pass", ".vault-password"],
  ".sentryclirc": [".sentryclirc"],
  ".cargo/credentials": [".cargo/credentials"],
  ".cargo/credentials.toml": [".cargo/credentials.toml"],
  ".gem/credentials": [".gem/credentials"],
  ".m2/settings.xml": [".m2/settings.xml"],
  ".m2/settings-security.xml": [".m2/settings-security.xml"],
  ".gradle/gradle.properties": [".gradle/gradle.properties"],
  ".ivy2/.credentials": [".ivy2/.credentials"],
  ".config/composer/auth.json": [".config/composer/auth.json"],
  ".composer/auth.json": [".composer/auth.json"],
  ".config/configstore/*.json": [".config/configstore/firebase-tools.json"],
  ".config/containers/auth.json": [".config/containers/auth.json"],
  ".config/stripe/config.toml": [".config/stripe/config.toml"],
  ".fly/config.yml": [".fly/config.yml"],
  ".cache/huggingface/token": [".cache/huggingface/token"],
  ".cache/huggingface/stored_tokens": [".cache/huggingface/stored_tokens"],
  ".huggingface/token": [".huggingface/token"],
  ".ngrok2/*.yml": [".ngrok2/ngrok.yml"],
  ".Xauthority": [".Xauthority"],
  ".ICEauthority": [".ICEauthority"],
  // What agents sign in with.
  ".claude.json": [".claude.json"],
  ".codex/auth.json": [".codex/auth.json"],
  ".copilot/config.json": [".copilot/config.json"],
  ".gemini/oauth_creds.json": [".gemini/oauth_creds.json"],
  ".gemini/mcp-oauth-tokens*.json": [".gemini/mcp-oauth-tokens.json", ".gemini/mcp-oauth-tokens-v2.json"],
  ".config/github-copilot/apps.json": [".config/github-copilot/apps.json"],
  ".config/github-copilot/hosts.json": [".config/github-copilot/hosts.json"],
  ".local/share/opencode/auth.json": [".local/share/opencode/auth.json"],
  // What browsers keep.
  "Login Data": ["Login Data", "Default/Login Data"],
  "logins.json": ["logins.json"],
  "key4.db": ["key4.db"],
  "cookies.sqlite": ["cookies.sqlite"],
  // What was typed.
  ".*_history": [".bash_history", ".zsh_history", ".psql_history", ".python_history", ".node_repl_history", ".mysql_history"],
  ".zhistory": [".zhistory"],
  ".histfile": [".histfile"],
  ".lesshst": [".lesshst"],
  ".dbshell": [".dbshell"],
  fish_history: ["fish_history", ".local/share/fish/fish_history"],
  mongosh_repl_history: [".mongodb/mongosh/mongosh_repl_history"],
  "ConsoleHost_history.txt": ["ConsoleHost_history.txt"],
  ".config/nushell/history.txt": [".config/nushell/history.txt"],
  ".local/share/atuin": [".local/share/atuin/history.db"],
  // Cloud and cluster.
  credentials: ["credentials"],
  "credentials.json": ["credentials.json"],
  "credentials.yml": ["credentials.yml"],
  "credentials.yaml": ["credentials.yaml"],
  "credentials.toml": ["credentials.toml"],
  "credentials.csv": ["credentials.csv"],
  ".credentials": [".credentials"],
  ".credentials.json": [".credentials.json", ".claude/.credentials.json"],
  "application_default_credentials.json": ["application_default_credentials.json"],
  "client_secret*.json": ["client_secret.json", "client_secret_123.apps.json"],
  "service-account*.json": ["service-account.json", "service-account-prod.json"],
  "service_account*.json": ["service_account_key.json"],
  "serviceaccount*.json": ["serviceAccountKey.json"],
  "*-service-account*.json": ["prod-service-account.json", "app-service-account-key.json"],
  "*adminsdk*.json": ["app-firebase-adminsdk-x1y2.json"],
  "gha-creds-*.json": ["gha-creds-0123abcd.json"],
  kubeconfig: ["kubeconfig"],
  ".kubeconfig": [".kubeconfig"],
  "*.kubeconfig": ["prod.kubeconfig"],
  "*.tfstate": ["terraform.tfstate"],
  "*.tfstate.*": ["terraform.tfstate.backup", "a.tfstate.lock"],
  "*.tfvars": ["prod.tfvars", "terraform.tfvars"],
  "*.tfvars.json": ["prod.tfvars.json"],
  ".terraformrc": [".terraformrc"],
  "secrets.json": ["secrets.json"],
  "secrets.yml": ["secrets.yml"],
  "secrets.yaml": ["secrets.yaml"],
  "secrets.toml": ["secrets.toml"],
  "secret.yml": ["secret.yml"],
  "secret.yaml": ["secret.yaml", "k8s/secret.yaml"],
  ".secrets": [".secrets"],
  // Directories: what is in them, whatever it is.
  ".ssh": [".ssh", ".ssh/config", ".ssh/id_rsa.pub", ".ssh/known_hosts", ".ssh/a/b"],
  ".gnupg": [".gnupg", ".gnupg/pubring.kbx"],
  ".aws": [".aws", ".aws/config", ".aws/sso/cache/x.json"],
  ".azure": [".azure/azureProfile.json"],
  ".kube": [".kube", ".kube/config"],
  ".oci": [".oci/config"],
  ".password-store": [".password-store/mail.gpg", ".password-store/.env.example"],
  ".config/gcloud": [".config/gcloud", ".config/gcloud/access_tokens.db"],
  ".config/gh": [".config/gh/hosts.yml"],
  ".config/op": [".config/op/config"],
  ".config/hub": [".config/hub"],
  ".config/rclone": [".config/rclone/rclone.conf"],
  ".config/glab-cli": [".config/glab-cli/config.yml"],
  ".config/doctl": [".config/doctl/config.yaml"],
  ".config/hcloud": [".config/hcloud/cli.toml"],
  ".wrangler/config": [".wrangler/config/default.toml", ".config/.wrangler/config/default.toml"],
  ".ethereum/keystore": [".ethereum/keystore/UTC--2024"],
  ".local/share/keyrings": [".local/share/keyrings/login.keyring"],
  ".local/share/hallpass": [".local/share/hallpass/audit.jsonl"],
  ".local/state/hallpass": [".local/state/hallpass/x"],
  ".terraform.d": [".terraform.d/plugins/x"],
  "Library/Keychains": ["Library/Keychains/login.keychain-db"],
  "Library/Application Support/hallpass": ["Library/Application Support/hallpass/x"],
};
// `.env*` also ends in `.env`, and so on: the entry that speaks is the first of the list.
const NAMED = new Map(Object.entries(SHUT).flatMap(([entry, names]) => names.map((name) => [name, `**/${entry}`])));

describe("a secret is shut", () => {
  test.each([...NAMED])("%s, by %s", (name, pattern) => {
    for (const path of [`/${name}`, `/ws/${name}`, `/ws/a/b.d/c/${name}`])
      expect([path, builtin().find(path), byWalking(builtin(), path)]).toEqual([path, pattern, true]);
    expect(byWalking(builtin(), `/ws/a/${name}`, "/ws")).toBe(true);
  });

  test("every entry of the list has an example here", () => {
    expect(
      Object.keys(SHUT)
        .map((entry) => `**/${entry}`)
        .toSorted(),
    ).toEqual([...secretDirs, ...secretNames].toSorted());
  });

  test("in any letter case, in full width, and with characters that do not show", () => {
    for (const name of NAMED.keys()) {
      const spellings = [
        name.toUpperCase(),
        name[0] + name.slice(1).toUpperCase(),
        name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
        name.replace(/[a-z]/, "$&\u200b"),
        `${name}\ufe0f`,
      ];
      for (const spelling of spellings) {
        expect([spelling, builtin().find(`/ws/${spelling}`) !== null, byWalking(builtin(), `/ws/${spelling}`)]).toEqual([
          spelling,
          true,
          true,
        ]);
      }
    }
  });

  test("with what file systems take for the same letters", () => {
    for (const name of [
      ".ßh/config",
      ".\u017fsh/config",
      "id_r\u017fa",
      "server.\u212aey",
      "\u0131d_rsa",
      "ser\u24e5er.pem",
      "cre\u00addentials",
    ]) {
      expect([name, builtin().find(`/ws/${name}`) !== null, byWalking(builtin(), `/ws/${name}`)]).toEqual([name, true, true]);
    }
  });

  test("and so is what lies below it, were it a directory", () => {
    for (const name of NAMED.keys()) expect([name, builtin().find(`/ws/${name}/x/y.txt`) !== null]).toEqual([name, true]);
  });

  test.each([
    "~",
    ".bak",
    ".backup",
    ".old",
    ".orig",
    ".save",
    ".saved",
    ".swp",
    ".swo",
    ".swn",
    ".swm",
    ".swk",
    ".tmp",
    ".temp",
    ".copy",
    ".rej",
    ".1",
    ".20240131",
    ".~1~",
    ".~12~",
    ".bak~",
    ".1.old",
    ".BAK",
    ".Orig",
    " (copy)",
    " (another copy)",
    " (Copy 2)",
    " (1)",
    " copy",
    " copy 2",
    " - Copy (2)",
    ".gz",
    ".tar.gz",
    ".tgz",
    ".tar",
    ".zip",
    ".bz2",
    ".xz",
    ".zst",
    ".7z",
  ])("a backup of it, ending in %s", (ending) => {
    for (const name of NAMED.keys()) {
      const path = `/ws/a/${name}${ending}`;
      expect([path, builtin().find(path) !== null, byWalking(builtin(), path)]).toEqual([path, true, true]);
    }
  });

  test("a backup that an editor puts signs around", () => {
    for (const name of NAMED.keys()) {
      const [dir, last] = [name.split("/").slice(0, -1), name.split("/").at(-1) ?? ""];
      for (const backup of [`#${last}#`, `#${last}~#`, `#${last}.bak#`, `.${last}.swp`, `.${last}.swo`, `.${last}.bak.swp`]) {
        const path = `/ws/${[...dir, backup].join("/")}`;
        expect([path, builtin().find(path) !== null, byWalking(builtin(), path)]).toEqual([path, true, true]);
      }
    }
  });

  test("vim's swap file of a secret that begins with a dot", () => {
    for (const name of [".netrc.swp", ".pgpass.swo", ".git-credentials.swp", ".htpasswd.swn", ".vault-token.swp", ".credentials.swp"]) {
      expect([name, builtin().find(`/ws/${name}`) !== null, builtin().walk("/ws").has(name)]).toEqual([name, true, true]);
    }
  });

  test("what is in a backup of a secret directory, asked at once or name by name", () => {
    for (const path of [
      "/ws/.ssh.bak/config",
      "/ws/.ssh~/config",
      "/ws/.aws.old/config",
      "/ws/.docker.bak/config.json",
      "/ws/.docker~/config.json.old",
      "/ws/.config.bak/gh/hosts.yml",
      "/ws/.cargo.1/credentials.toml",
      "/ws/.m2.orig/settings.xml",
    ]) {
      expect([path, builtin().find(path) !== null, byWalking(builtin(), path), byWalking(builtin(), path, "/ws")]).toEqual([
        path,
        true,
        true,
        true,
      ]);
    }
    expect([builtin().walk("/ws/.docker.bak").has("config.json"), builtin().walk("/ws/.docker.bak").has("readme.md")]).toEqual([
      true,
      false,
    ]);
  });

  test.each([
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d/ada",
    "/etc/ssl/private",
    "/etc/ssl/private/x.crt",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_rsa_key.pub",
    "/run/secrets/db",
    "/run/credentials/x/y",
  ])("the system's own: %s", (path) => {
    expect([builtin().find(path) !== null, byWalking(builtin(), path)]).toEqual([true, true]);
  });

  test("the system's places are absolute", () => {
    expect(secretPlaces).toEqual([
      "/etc/shadow*",
      "/etc/gshadow*",
      "/etc/sudoers*",
      "/etc/ssl/private",
      "/etc/ssh/ssh_host_*",
      "/run/secrets",
      "/run/credentials",
    ]);
    expect(
      [
        "/etc/passwd",
        "/etc/ssl/certs/x.crt",
        "/etc/ssh/ssh_config",
        "/run/user/1000/x",
        "/etc",
        "/run",
        "/shadow",
        "/ws/etc/shadow",
        "/ws/run/secrets/x",
      ].filter((path) => builtin().find(path) !== null),
    ).toEqual([]);
  });
});

describe("what is made to be shared stays readable", () => {
  const SHARED = [
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.local.example",
    ".env.prod.sample",
    ".env.a.b.template",
    "id_rsa.pub",
    "id_ed25519.pub",
    "id_ecdsa_sk.pub",
    "server.pem.pub",
    "deploy.key.pub",
    "templates/secret.yaml",
    "charts/app/templates/secret.yml",
  ];

  test.each(SHARED)("%s", (name) => {
    for (const spelling of [name, name.toUpperCase()]) {
      for (const path of [`/${spelling}`, `/ws/a/${spelling}`])
        expect([path, builtin().find(path), byWalking(builtin(), path)]).toEqual([path, null, false]);
    }
  });

  test("unless a secret directory holds it", () => {
    for (const name of SHARED) expect(builtin().find(`/home/ada/.ssh/${name}`)).toBe("**/.ssh");
  });

  test("a directory of that name is no place to read secrets from", () => {
    expect(["/ws/.env.example/x", "/ws/.env.example/.env", "/ws/id_rsa.pub/x"].map((path) => builtin().find(path) !== null)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test("the list of them", () => {
    expect(notSecret).toEqual(
      [
        ".env.example",
        ".env.sample",
        ".env.template",
        ".env.*.example",
        ".env.*.sample",
        ".env.*.template",
        "id_*.pub",
        "*.pem.pub",
        "*.key.pub",
        "templates/secret.yaml",
        "templates/secret.yml",
      ].map((name) => `**/${name}`),
    );
  });
});

describe("ordinary files stay readable", () => {
  // One name a word.
  const ORDINARY = `
    README.md LICENSE Makefile Dockerfile package.json package-lock.json tsconfig.json Cargo.toml Cargo.lock go.mod go.sum yarn.lock pnpm-lock.yaml
    requirements.txt pyproject.toml setup.cfg .gitignore .gitattributes .gitmodules .editorconfig .prettierrc .eslintrc.json .dockerignore .npmrc .nvmrc .yarnrc.yml
    .github/workflows/ci.yml .vscode/settings.json .config/nvim/init.lua .config/git/config .bashrc .zshrc .profile .gitconfig .docker/Dockerfile .cargo/config.toml .m2/repository/x.jar
    environment.ts environment.prod.ts env.ts env.d.ts envelope.ts dotenv.js src/env/index.ts process.env.md environ.py
    key.go key.ts keys.ts keyboard.ts keymap.json monkey.txt turkey.csv hotkeys.md keyed.rs keystore.go donkey keychain.swift
    token.ts tokens.json tokenizer.py tokenize.c secret.test.ts secret.ts secrets.ts secrets.md secrets.go secretary.doc Secrets.vue
    pem.c pem.h pemfile.py ssh.go ssh/config aws.ts aws/index.ts kube.rs kube/main.go gnupg.md
    credentials.md credentials.ts credentials.test.ts credential.json my-credentials.md credentials_test.go
    password.ts passwords.md passwd.c history.ts bash_history.md shell_history.go wallet.ts wallet.data
    .secrets.baseline .wrangler/state/v3/x.sqlite logins.ts wgpu.conf wg.md kaggle.md firebase.json archive.tar.gz src.zip data.json.gz
    id.ts id_card.png id_map.json idempotent.rs identity.rs rsa.go id-rsa.md public.pub
    auth.json auth.ts oauth.ts settings.xml gradle.properties settings.gradle hosts.yml local.json settings.json
    config config.json config.toml kubeconfig.md kubectl.md service.json account.json service-account.md client.json client_secret.md
    main.tf variables.tf terraform.md tfstate.go outputs.tf .terraform.lock.hcl
    index.html style.css app.vue logo.svg data.csv photo.jpg a.out core.1234 notes.txt.bak file.orig main.c~ x.swp #notes.txt# old.tmp backup.1 v1.2.3 release-2024.01
    netrc.md htpasswd.py pypirc.py boto3.py s3cfg.ts vault.ts docker.ts
    a b .a ... .hidden ~ # ## .bak .swp .1 ~~ x~ #x #x# x#
  `
    .trim()
    .split(/\s+/);

  test.each(ORDINARY)("%s", (name) => {
    for (const path of [`/${name}`, `/ws/${name}`, `/home/ada/work/app/src/${name}`])
      expect([path, builtin().find(path), byWalking(builtin(), path)]).toEqual([path, null, false]);
  });

  test("names around the listed ones", () => {
    const near = [
      "xwallet.dat",
      "wallet.dat2",
      "x.netrc",
      "netrc",
      "a.pemx",
      "a.keys",
      "a.tfvars.yaml",
      "a.tfvarsx",
      "a.tfstates",
      "xid_rsa",
      "credentials.jsonx",
      "xcredentials.json",
      ".git-credentialsx",
      "kubeconfigs",
      "docker/config.json",
      ".docker/x/config.json",
      ".config/x/gh.yml",
      ".config/configstore/a.yml",
      ".config/configstore/x/a.json",
      ".ngrok2/ngrok.json",
      ".local/share/opencode/x/auth.json",
      ".historyx",
      "bash_history",
      "Keychains/x",
      "Library/x",
      "Application Support/hallpass/x",
    ];
    expect(near.filter((name) => builtin().find(`/ws/${name}`) !== null || byWalking(builtin(), `/ws/${name}`))).toEqual([]);
  });
});

describe("the operator's exceptions lift exactly what they name", () => {
  test("one name", () => {
    const lifted = secretsOf(["**/test.pem"]);
    expect(["/ws/test.pem", "/ws/a/test.pem"].map((path) => lifted.find(path))).toEqual([null, null]);
    expect(
      ["/ws/Test.pem", "/ws/test.pem.bak", "/ws/test.pem/x", "/ws/other.pem", "/home/ada/.env"].map((path) => lifted.find(path) !== null),
    ).toEqual([true, true, true, true, true]);
    expect(["test.pem", "TEST.PEM", "test.pem~", "other.pem"].map((name) => lifted.walk("/ws").has(name))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("one path", () => {
    const lifted = secretsOf(["~/work/.env"]);
    expect(["/home/ada/work/.env", "/home/ada/other/.env", "/home/ada/work/x/.env"].map((path) => lifted.find(path) !== null)).toEqual([
      false,
      true,
      true,
    ]);
  });

  test("a directory and what is in it, or the directory alone", () => {
    expect(["/h/.aws", "/h/.aws/config", "/h/.ssh/config"].map((path) => secretsOf(["**/.aws/**"]).find(path) !== null)).toEqual([
      false,
      false,
      true,
    ]);
    expect(["/h/.aws", "/h/.aws/config"].map((path) => secretsOf(["**/.aws"]).find(path) !== null)).toEqual([false, true]);
    expect(["/h/.aws", "/h/.aws/config", "/h/.aws/credentials"].map((path) => secretsOf(["**/.aws/config"]).find(path) !== null)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("everything below a place, in it alone", () => {
    const lifted = secretsOf(["/ws/fixtures/**"]);
    expect(
      ["/ws/fixtures/a.pem", "/ws/fixtures/.ssh/id_rsa", "/ws/a.pem"].map((path) => [
        lifted.find(path) !== null,
        byWalking(lifted, path, "/ws"),
      ]),
    ).toEqual([
      [false, false],
      [false, false],
      [true, true],
    ]);
  });

  test("a backup, when it is the one named", () => {
    const lifted = secretsOf(["**/a.pem.bak"]);
    expect(["/a.pem.bak", "/a.pem.old", "/a.pem"].map((path) => lifted.find(path) !== null)).toEqual([false, true, true]);
  });
});

describe("what is added is secret like the rest", () => {
  const added = (): NameList => secretsOf([], ["**/vault.txt", "~/diary", "*.example"]);

  test("in any letter case, below a directory, and in a backup", () => {
    expect(
      ["/ws/vault.txt", "/ws/VAULT.txt", "/ws/vault.txt.bak", "/home/ada/diary/monday", "/ws/diary", "/ws/.env"].map((path) =>
        added().find(path),
      ),
    ).toEqual(["**/vault.txt", "**/vault.txt", "**/vault.txt", "~/diary", null, "**/.env*"]);
  });

  test("also where the builtin list lets a name go", () => {
    expect([added().find("/ws/.env.example"), added().find("/ws/.env.sample")]).toEqual(["*.example", null]);
  });

  test("but not where the operator lifts it", () => {
    expect([secretsOf(["**/x"], ["x"]).find("/ws/x"), secretsOf(["**/x"], ["x"]).find("/ws/X")]).toEqual([null, "x"]);
  });
});

test("walking a tree withholds what asking for each path refuses, for any tree", () => {
  const name = fc.oneof(
    fc.constantFrom(
      "a",
      "src",
      ".env",
      ".ENV",
      ".env.example",
      "id_rsa",
      "id_rsa.pub",
      "x.pem",
      "X.Pem.bak",
      ".ssh",
      ".ssh.bak",
      ".docker",
      ".docker~",
      "config.json",
      "config.json.old",
      ".config",
      ".config.bak",
      "gh",
      "gh.1",
      "credentials",
      ".credentials.swp",
      "#x.key#",
      ".cargo",
      "test.pem",
      "Test.pem",
      "fixtures",
      "ﬁxtures",
      "．ssh",
      "e\u0301",
      "a／.env",
      "\u200b",
    ),
    fc
      .tuple(fc.constantFrom(".netrc", ".aws", "notes", ".m2", "settings.xml"), fc.constantFrom("", "~", ".bak", ".swp", ".old~"))
      .map(([one, two]) => one + two),
  );
  const lists = [builtin(), secretsOf(["**/test.pem", "/a/**", "**/.docker/config.json"], ["fixtures", "**/notes/a"])];
  const answers = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.nat({ max: 4 }), fc.constantFrom(...lists), (names, depth, list) => {
      const start = Math.min(depth, names.length - 1);
      const paths = names.map((_, at) => `/${names.slice(0, at + 1).join("/")}`);
      let walk = list.walk(`/${names.slice(0, start).join("/")}`);
      for (const [at, one] of names.entries()) {
        if (at < start) continue;
        const found = list.find(paths[at] ?? "") !== null;
        answers.add(found);
        expect([paths[at], start, walk.has(one)]).toEqual([paths[at], start, found]);
        walk = walk.enter(one);
      }
    }),
    { numRuns: 5_000 },
  );
  expect(answers).toEqual(new Set([true, false]));
});

describe("what a name may be a backup of", () => {
  test.each<readonly [folded: string, plain: readonly string[]]>([
    ["/a/b", []],
    ["/a/b.txt", []],
    ["/a/b.bakery", []],
    ["/a/.bakx/b", []],
    ["/a/b~", ["/a/b"]],
    ["/a~/b", ["/a/b"]],
    ["/a.bak/b.old", ["/a/b"]],
    ["b.bak", ["b"]],
    ["b.bak.old~", ["b"]],
    ["b.12345678", ["b"]],
    ["b.123456789", []],
    ["b.~3~", ["b"]],
    ["b.~123456789~", ["b.~123456789"]],
    ["#b#", ["b"]],
    ["#b.bak#", ["b"]],
    ["#b", []],
    ["#b~", ["#b"]],
    ["ab#", ["ab#"]],
    ["a.b.swp", ["a.b"]],
    [".b.swp.bak", [".b"]],
    ["b#", ["b#"]],
    ["##", ["##"]],
    ["#", ["#"]],
    ["###", ["#"]],
    ["~", ["~"]],
    ["~~", ["~"]],
    [".bak", [".bak"]],
    [".bak~", [".bak"]],
    [".b.swp", [".b", "b"]],
    [".b.c.swk", [".b.c", "b.c"]],
    [".b.swj", []],
    [".b.swq", []],
    ["b.swp", ["b"]],
    [".b.bak.swp", [".b", "b"]],
    ["/x.old/.b.swp", ["/x/.b", "/x/b"]],
    ["/.x.swp/b", ["/.x/b"]],
    [".swp", [".swp"]],
    ["..swp", ["."]],
  ])("%s", (folded, plain) => {
    expect(undecorated(folded)).toEqual(plain);
  });
});
