// What programs print when there is no network: from the resolver, from the system, and from package managers that were told so.

const COMPLAINTS: readonly RegExp[] = [
  // The resolver, in the words of the C library, curl, git, ssh, wget, apt, Go and Node.
  /temporary failure (?:in name resolution|resolving)|name or service not known|could not resolve (?:host|proxy)|unable to resolve host/i,
  /dial tcp: lookup|no such host|EAI_AGAIN|ENOTFOUND|getaddrinfo|failed to lookup address/,
  // The system.
  /network is unreachable|connection refused|(?:couldn.t|failed to) connect to|ENETUNREACH|ECONNREFUSED/i,
  // Package managers: npm, cargo, Go, uv, pip.
  /ENOTCACHED|only-if-cached|--offline|offline mode|offline was specified|GOPROXY=off|network (?:access )?(?:is|was) disabled|No matching distribution found/i,
];

/** Does it look as if something had failed for want of the network? */
export const failsForNetwork = (printed: string): boolean => COMPLAINTS.some((complaint) => complaint.test(printed.slice(-LOOKED)));

/** How many characters at the end are examined. */
const LOOKED = 64 * 1024;
