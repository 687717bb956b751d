// Patterns that are aimed at secrets: what they stand for is found by another program, which reads it.

/** Names that a pattern is tried on: it may stand for a secret where it matches one and does not simply match everything. */
const SECRETS = (
  ".env .env.local .env.production prod.env .flaskenv .dev.vars server.pem server.key key.p8 key.p12 key.pfx key.jks key.ppk id_rsa id_dsa id_ecdsa id_ed25519 wallet.dat " +
  ".netrc .git-credentials .pgpass .my.cnf .htpasswd .pypirc .npmrc .dockercfg .boto .s3cfg .vault-token credentials"
).split(" ");

/** Does the last name of a pattern, which says something, match that of a secret? */
export function mayBeSecret(pattern: string): boolean {
  const last = pattern.slice(pattern.lastIndexOf("/") + 1).toLowerCase();
  if (/^[*?]*$/u.test(last)) return false;
  // No name is longer.
  if (last.length > 255) return true;
  // A bracket stands for one sign. One that is not plain may stand for anything.
  const plain = last.replaceAll(/\[[^[\]\\]+\]/gu, "?");
  if (/[[\]\\]/u.test(plain) || plain.split("*").length > 4) return true;
  const body = plain.replaceAll(/\*+|\?|[\\^$.|+(){}[\]]/gu, (sign) => (sign.startsWith("*") ? ".*" : sign === "?" ? "." : `\\${sign}`));
  const test = new RegExp(`^${body}$`, "su");
  return SECRETS.some((name) => test.test(name));
}
