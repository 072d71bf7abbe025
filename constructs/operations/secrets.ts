/**
 * What is taken out of logs, journals and configuration before anybody gets them: the one list, for the functions
 * (`withoutSecrets`) and for the hosts (`secretsProgram`, a program of sed).
 *
 * Patterns are POSIX extended regular expressions of GNU sed that JavaScript reads in the same way. So there is no
 * lookahead, group 1 is what stays before the secret, and a backslash stands in no brackets except doubled or in `\t`.
 */
interface Secret {
  /** What is said in its place. */
  readonly name: string;
  readonly pattern: string;
  /** What stays behind it. */
  readonly after?: string;
  readonly ignoreCase?: boolean;
}

const SUFFIX = '([_.-][A-Za-z0-9_.-]{0,40}|s|Id|Key|Value|String|Hash|Data|Text)?';
const WORD =
  '[A-Za-z0-9_.-]{0,40}(pass(word|wd|phrase|code)[A-Za-z0-9_.-]{0,40}|' +
  `(secret|token|api[_-]?key|access[_-]?key|private[_-]?key|session[_-]?key|credential|auth[_-]?key)${SUFFIX})`;
/** A name in quotes or without, perhaps in JSON within JSON, and what separates it from its value. */
const NAMED = `${WORD}\\\\*["']?[ \\t]*(=>|:=|[:=])[ \\t]*`;

const SECRETS: readonly Secret[] = [
  {
    name: 'signed address',
    pattern:
      '((\\?|&|;|u0026)(X-Amz-[A-Za-z-]+|Signature|AWSAccessKeyId|Key-Pair-Id|Policy|sig)=)[^& \\t"\'<>\\\\]+',
    ignoreCase: true,
  },
  {
    name: 'authorization',
    pattern: '((authorization|cookie)\\\\*["\']?[ \\t]*[:=][ \\t]*\\\\*["\']?)[^"\'\\\\]+',
    ignoreCase: true,
  },
  { name: 'token', pattern: '(bearer[ \\t]+)[A-Za-z0-9._~+/=-]{8,}', ignoreCase: true },
  {
    name: 'password',
    pattern: '([a-z][a-z0-9+.-]{0,20}://[^/ \\t:@"\']*:)[^/ \\t@"\']+@',
    after: '@',
    ignoreCase: true,
  },
  {
    name: 'secret',
    pattern:
      '(--?[a-z0-9-]{0,40}(password|passwd|passphrase|secret|token|api-key|access-key)[a-z0-9-]{0,40}[ \\t]+)' +
      '("[^"]*"|\'[^\']*\'|[^ \\t"\']+)',
    ignoreCase: true,
  },
  { name: 'secret', pattern: `(${NAMED}\\\\*")[^"\\\\]+`, ignoreCase: true },
  { name: 'secret', pattern: `(${NAMED}')[^']+`, ignoreCase: true },
  { name: 'secret', pattern: `(${NAMED})[^] \\t"',;&{}[\\\\]+`, ignoreCase: true },
  { name: 'access key', pattern: '\\b(A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}\\b' },
  { name: 'session token', pattern: '\\b(IQoJ|FwoG|FQoG|AgoJ)[A-Za-z0-9+/=]{60,}' },
  { name: 'token', pattern: '\\b(eyJ)[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*' },
  { name: 'password hash', pattern: '([$](1|2[abxy]|5|6|7|y|gy)[$])[A-Za-z0-9./$]{8,}' },
];

const KEY_BEGIN = '-----BEGIN [A-Z ]*PRIVATE KEY-----';
const KEY_END = '-----END [A-Z ]*PRIVATE KEY-----';
const KEY_REMOVED = '[removed: private key]';

const said = ({ name, after = '' }: Secret): string => `[removed: ${name}]${after}`;

// A bracket that closes stands first in POSIX brackets, and needs a backslash in those of JavaScript.
const COMPILED = SECRETS.map(
  (secret) =>
    [
      new RegExp(secret.pattern.replaceAll('[^]', '[^\\]'), secret.ignoreCase ? 'gi' : 'g'),
      `$1${said(secret)}`,
    ] as const,
);
const PRIVATE_KEYS = new RegExp(`${KEY_BEGIN}[^]*?(${KEY_END}|$)`, 'g');

/** A text without what the list knows. A second time changes nothing that gives a secret back. */
export function withoutSecrets(text: string): string {
  let left = text.replace(PRIVATE_KEYS, KEY_REMOVED);
  for (const [pattern, replacement] of COMPILED) left = left.replace(pattern, replacement);
  return left;
}

/** The same as a program for `sed -E -f`. */
export function secretsProgram(): string {
  return [
    `s!${KEY_BEGIN}.*${KEY_END}!${KEY_REMOVED}!g`,
    `/${KEY_BEGIN}/,/${KEY_END}/c\\`,
    KEY_REMOVED,
    ...SECRETS.map((secret) => `s!${secret.pattern}!\\1${said(secret)}!g${secret.ignoreCase ? 'I' : ''}`),
    '',
  ].join('\n');
}
