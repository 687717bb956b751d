// The hosts we know: what each is called, what it tells its hooks, where a project's files of it are, and what no hook of it sees. Every list
// of hosts is read from here; its hook is in `hosts/`, its installation in `adapters/install/hosts.ts`, its guide in `docs/guides/`.

export interface HostRow {
  readonly title: string;
  /** The names of its program. */
  readonly programs: readonly string[];
  /** Directories, of a project or of a home directory, that show that it is used there. */
  readonly directories: readonly string[];
  /** The variable that names the workspace to its hooks. */
  readonly workspaceVariable?: string;
  /** Seconds that `hallpass install` has it wait for a hook: a person needs time to answer. A host that stops waiting lets the call go. */
  readonly hookSeconds?: number;
  /** What no hook of it sees. */
  readonly blind?: string;
  /** Where it looks for MCP servers in a project; `*` stands for any one name, and at the end for all that is below. */
  readonly servers?: readonly string[];
  /** Directories of a project whose files are tools, called by the files' names. */
  readonly toolDirectories?: readonly string[];
  /** It looks in the directories above the project too. */
  readonly climbs?: true;
  /** Files that may switch hooks off, in a directory of the project and in one of the person's, which a variable may name. */
  readonly settings?: { readonly dir: string; readonly variable?: string; readonly files: readonly string[] };
  /** How its shell is led into the sandbox; missing where it is not. */
  readonly shell?: HostShell;
  /** One process of it has one session at a time, so that what it starts belongs to that: its MCP server is in the session of its hooks. */
  readonly oneSession?: true;
  /** A policy can be written in its own words (`hallpass sync`). */
  readonly syncs?: true;
  /** What `hallpass run` shows the program of its own. */
  readonly own?: HostFiles;
}

/** What a host keeps in the home directory, by paths from there. */
export interface HostFiles {
  /** Directories that it reads and writes: its login, its history, its settings. */
  readonly directories: readonly string[];
  /** The same, for reading alone. */
  readonly reads?: readonly string[];
  /** Where in them its login is: a secret to every other program. */
  readonly login: readonly string[];
  /** What in them is started or obeyed later, outside of any sandbox too: it stays as it is. */
  readonly executes: readonly string[];
  /** What it makes there when it starts and cannot do without, though it stays as it is: a directory (`name/`) or an empty file. */
  readonly makes?: readonly string[];
  /** Variables that hold a key for its model, or say which model. */
  readonly env: readonly string[];
}

export interface HostShell {
  /**
   * What does it: a program that the host puts before each command, a file that bash reads before one, a line that our hook puts before the
   * command, or the call itself, which our plugin changes. For the first three `hallpass install` writes a file.
   */
  readonly way: "prefix" | "start" | "line" | "call";
  /** The variable that names the host's session to its shell. */
  readonly session?: string;
  /** Stands in every command of its tool, where what its settings start comes the same way. */
  readonly mark?: string;
  /** The model may name the shell, and others than bash read no such file: a command's text is judged in a verified session too. */
  readonly anyShell?: true;
}

const COMMANDS = "what a shell command reads without naming it";
const FOUND = "what its own search shows of secrets";
const UNCONFINED = `${COMMANDS}, where nothing confines it`;

/** Hosts that have hooks. */
const hookRows = {
  "claude-code": {
    title: "Claude Code",
    hookSeconds: 600,
    oneSession: true,
    programs: ["claude"],
    directories: [".claude"],
    workspaceVariable: "CLAUDE_PROJECT_DIR",
    blind: `files named with @ in the prompt; ${UNCONFINED}`,
    servers: [".mcp.json", ".claude/settings.json", ".claude/settings.local.json", ".claude/.mcp.json", ".claude/agents/*"],
    climbs: true,
    settings: { dir: ".claude", variable: "CLAUDE_CONFIG_DIR", files: ["settings.json", "settings.local.json"] },
    shell: { way: "prefix", session: "CLAUDE_CODE_SESSION_ID", mark: " && pwd -P >| " },
    syncs: true,
    own: {
      directories: [".claude"],
      login: [".claude/.credentials.json", ".claude/.claude.json"],
      executes: [
        "settings.json",
        "settings.local.json",
        "hooks",
        "plugins",
        "agents",
        "commands",
        "skills",
        "local",
        "*.sh",
        "*.py",
        "*.js",
      ].map((name) => `.claude/${name}`),
      env: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "CLAUDE_CODE_OAUTH_TOKEN"],
    },
  },
  codex: {
    title: "Codex",
    hookSeconds: 600,
    oneSession: true,
    programs: ["codex"],
    directories: [".codex"],
    blind: `${UNCONFINED}; Codex runs the hook only once you trust it under /hooks`,
    servers: [".codex/config.toml"],
    climbs: true,
    settings: { dir: ".codex", variable: "CODEX_HOME", files: ["config.toml"] },
    shell: { way: "start", session: "CODEX_SESSION_ID", anyShell: true },
    syncs: true,
    own: {
      directories: [".codex"],
      login: [".codex/auth.json"],
      executes: ["config.toml", "*.config.toml", "hooks.json", "hooks", "rules", "skills", "prompts", "plugins", "agents"].map(
        (name) => `.codex/${name}`,
      ),
      makes: [".codex/skills/"],
      env: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"],
    },
  },
  gemini: {
    title: "Gemini CLI",
    hookSeconds: 600,
    oneSession: true,
    programs: ["gemini"],
    directories: [".gemini"],
    workspaceVariable: "GEMINI_PROJECT_DIR",
    blind: UNCONFINED,
    servers: [".gemini/settings.json", ".gemini/extensions/*/gemini-extension.json", ".gemini/agents/*"],
    settings: { dir: ".gemini", files: ["settings.json"] },
    shell: { way: "start", mark: "_bgpids_file=" },
    own: {
      directories: [".gemini"],
      login: [".gemini/oauth_creds.json", ".gemini/.env"],
      executes: ["settings.json", ".env", "trustedFolders.json", "extensions", "commands", "hooks", "skills", "agents", "policies"].map(
        (name) => `.gemini/${name}`,
      ),
      env: ["GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_GEMINI_BASE_URL"],
    },
  },
  copilot: {
    title: "Copilot CLI",
    hookSeconds: 600,
    oneSession: true,
    programs: ["copilot"],
    directories: [".copilot"],
    blind: `a call whose hook takes longer than the host waits; ${UNCONFINED}; in VS Code ${FOUND}`,
    servers: [
      ".github/mcp.json",
      ".github/copilot/mcp.json",
      ".copilot/mcp-config.json",
      ".mcp.json",
      ".vscode/mcp.json",
      ".vscode/settings.json",
      ".github/agents/*",
    ],
    // The session that it names to the shell of an agent below another is not the one that it names to the hook.
    shell: { way: "line" },
    own: {
      directories: [".copilot"],
      login: [".copilot/config.json"],
      executes: [
        "settings.json",
        "mcp-config.json",
        "lsp-config.json",
        "permissions-config.json",
        "hooks",
        "skills",
        "agents",
        "installed-plugins",
        "pkg",
      ].map((name) => `.copilot/${name}`),
      env: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_MODEL"],
    },
  },
  cursor: {
    title: "Cursor",
    hookSeconds: 600,
    programs: ["cursor", "cursor-agent"],
    directories: [".cursor"],
    workspaceVariable: "CURSOR_PROJECT_DIR",
    blind: `${COMMANDS}; ${FOUND}`,
    servers: [".cursor/mcp.json"],
  },
  opencode: {
    title: "opencode",
    hookSeconds: 600,
    programs: ["opencode"],
    directories: [".opencode", ".config/opencode"],
    blind: UNCONFINED,
    servers: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
    toolDirectories: [".opencode/tool", ".opencode/tools"],
    climbs: true,
    shell: { way: "call" },
    syncs: true,
    own: {
      directories: [".local/share/opencode", ".local/state/opencode"],
      reads: [".config/opencode"],
      login: [".local/share/opencode/auth.json", ".local/share/opencode/mcp-auth.json"],
      executes: [".local/share/opencode/bin", ".local/share/opencode/plugin"],
      makes: [".config/opencode/.gitignore"],
      env: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY"],
    },
  },
} as const satisfies Readonly<Record<string, HostRow>>;

const rows = {
  ...hookRows,
  zed: { title: "Zed", programs: ["zed", "zeditor"], directories: [".zed", ".config/zed"] },
} as const satisfies Readonly<Record<string, HostRow>>;

/** A host with hooks. */
export type HostName = keyof typeof hookRows;
/** A host that we install into. */
export type InstallHost = keyof typeof rows;
/** A host that a policy can be written for. */
export type SyncHost = { [N in InstallHost]: (typeof rows)[N] extends { readonly syncs: true } ? N : never }[InstallHost];

const rowsOfHooks: Readonly<Record<HostName, HostRow & { readonly hookSeconds: number }>> = hookRows;

export const hostTable: Readonly<Record<InstallHost, HostRow>> = rows;

export const isHostName = (word: unknown): word is HostName => typeof word === "string" && Object.hasOwn(hookRows, word);
const isInstallHost = (word: string): word is InstallHost => Object.hasOwn(rows, word);
const isSyncHost = (word: InstallHost): word is SyncHost => hostTable[word].syncs === true;

export const installHosts = Object.keys(rows).filter(isInstallHost);
export const hostNames = installHosts.filter(isHostName);
export const syncHosts = installHosts.filter(isSyncHost);

/** So many of a host's seconds are left for everything but waiting: starting, and judging without the daemon when it goes silent. */
export const WAIT_MARGIN = 30;

/** Seconds that a hook of this host waits for a person. */
export const hookWait = (host: HostName): number => rowsOfHooks[host].hookSeconds - WAIT_MARGIN;

/** The workspace as a host tells it to its hooks, where it does. */
export function toldWorkspace(host: HostName, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { workspaceVariable } = hostTable[host];
  return workspaceVariable === undefined ? undefined : env[workspaceVariable];
}
