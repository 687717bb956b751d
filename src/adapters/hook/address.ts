// Which texts are addresses of another machine, and no paths here.

const schemes = (): RegExp =>
  /^(?:https?|ftps?|sftp|ssh|git|git\+(?:ssh|https?)|svn|wss?|tcp|udp|postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|nats|mqtts?|smtps?|ldaps?|s3|gs|docker):\/\//iu;

/**
 * An address that programs know as one. A name before `://` that is none of theirs may be a directory's (`x:`), and so may any where
 * the rest climbs: those are judged as paths.
 */
export const isAddress = (text: string): boolean => schemes().test(text) && !/\/\.{1,2}(?:\/|$)/u.test(text);
