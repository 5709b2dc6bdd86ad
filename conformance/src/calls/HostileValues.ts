import type { Json } from "../text/Json.ts"

/**
 * Values that break servers with weak input checks (ENV-12). They harm no deployment: they name no existing resource or
 * field. Every run uses the same values.
 */

/** A text and its name. */
type Text = readonly [what: string, text: string]

/**
 * Texts for string fields. A deployment may accept the `mild` ones in one text: it then survives each. If it refuses that
 * text, each has to be tried alone. The `harsh` ones are refused for other reasons, or work only alone.
 */
interface Texts {
  readonly mild: ReadonlyArray<Text>
  readonly harsh: ReadonlyArray<Text>
}

/** The mild texts in one. */
export const inOne = ({ mild }: Texts): string => mild.map(([, text]) => text).join(" ")

/** Values for string fields of a worker. */
export const hostileTexts: Texts = {
  mild: [
    ["quotes", `'"\`;--`],
    ["a query", "' OR '1'='1' --"],
    ["a script", "<script>alert(1)</script>"],
    ["a template", "{{7*7}}${7*7}<%= 7*7 %>"],
    ["a lookup", "${jndi:ldap://127.0.0.1/a}"],
    ["a format", "%s%n%x"],
    ["dots", "../../../../etc/passwd"],
    ["right to left", "\u202eabc\u2066"],
    ["emoji", "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}"]
  ],
  harsh: [
    ["a control character", "a\u0000b"],
    ["a line break", "a\r\nX-Injected: 1"],
    ["half a surrogate pair", "a\ud800b"],
    ["combining marks", `e${"\u0301".repeat(300)}`],
    ["more than a byte can count", "x".repeat(300)],
    ["a long text", "x".repeat(4096)],
    ["an inherited property", "__proto__"]
  ]
}

/** Texts for fields of every group: each breaks another kind of careless code, and no valid text is harmful. */
export const oddTexts: Texts = {
  mild: [
    ["a quote", "O'Neill \"\\"],
    ["markup", "<b>Smith & Sons</b>"],
    ["a wildcard", "100%_*"],
    ["other scripts", "\u017dofia \u6771\u4eac"],
    ["emoji", "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}"],
    ["a combining mark", "Zoe\u0301"]
  ],
  harsh: [
    ["more than a byte can count", "x".repeat(300)],
    ["a control character", "a\u0000b"]
  ]
}

/** Bodies for `POST /workers`: valid JSON, but none is a valid body. Every controller reads them. */
export const wrongBodies: ReadonlyArray<readonly [what: string, body: string]> = [
  ["null", "null"],
  ["a list", "[]"],
  ["a number", "1e999"],
  ["a string", '"worker"']
]

/** Bodies for `POST /workers` with a value of another type in a field that the specification shows. */
export const wrongTypes: ReadonlyArray<readonly [what: string, body: string]> = [
  ["a text for an object", '{"identity":{"displayName":"a"},"source":"a"}'],
  ["a list for an object", '{"identity":[{"displayName":"a"}]}'],
  ["a boolean for a string", '{"identity":{"displayName":true}}'],
  ["a list for a string", '{"identity":{"displayName":["a"]}}'],
  ["a number for an id", '{"identity":{"displayName":"a"},"source":{"externalId":7}}'],
  ["an object for a string", '{"identity":{"displayName":{"a":{"b":[]}}}}']
]

/** Further ones that a parser or a firewall may refuse before the controller, in any shape. */
export const hostileBodies: ReadonlyArray<readonly [what: string, body: string]> = [
  ["a prototype", '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"identity":{}}'],
  ["a duplicate key", '{"identity":{},"identity":null}'],
  ["a great depth", `{"identity":${"[".repeat(2000)}${"]".repeat(2000)}}`],
  ["many keys", JSON.stringify({ identity: Object.fromEntries(Array.from({ length: 2000 }, (_, key) => [key, key])) })],
  ["a huge number", `{"identity":{"displayName":${"9".repeat(400)}}}`],
  ["a byte order mark", '\ufeff{"identity":{}}']
]

/** Ends of a path below `/credentials/`, escaped for a URL. */
export const hostilePaths: ReadonlyArray<readonly [what: string, path: string]> = [
  ["a broken escape", "%"],
  ["an escape that is not hexadecimal", "%zz"],
  ["an escaped null", "cred_%00"],
  ["bytes that are not UTF-8", "%ff%fe"],
  ["an escaped slash", "cred_%2f..%2fworkers"],
  ["an overlong slash", "..%c0%af..%c0%af"],
  ["escaped dots", "%2e%2e%2f%2e%2e%2fetc%2fpasswd"],
  ["a line break", "cred_%0d%0aX-Injected:%201"],
  ["a quote", "cred_%27%22%3b--"],
  ["a semicolon", "cred_1;a=b"],
  ["an inherited property", "__proto__"],
  ["a long id", `cred_${"a".repeat(3000)}`],
  ["a negative number", "-1"],
  ["a number", "7"],
  ["the prefix alone", "cred_"],
  ["a blank", "%20"]
]

/** Ends of a path below `/workers/`: no ids in any form, and escaped for a URL. */
export const wordsForIds = ["nobody", "nobody'", "nobody*", "cred_1"]
/** Further ones that a proxy or a firewall may refuse, in any shape. */
export const hostileIds = ["nobody%00", "a".repeat(300), "%C3%A9", "a%2Fb"]

/** Queries for `GET /workers`. */
export const hostileQueries: ReadonlyArray<readonly [what: string, query: string]> = [
  ["a broken escape", "externalId=%"],
  ["bytes that are not UTF-8", "externalId=%ff%fe"],
  ["an escaped null", "externalId=a%00b"],
  ["a duplicate name", "externalId=a&externalId=b"],
  ["a name with brackets", "externalId[$ne]=a&externalId[]=b"],
  ["no name", "=a&&=&"],
  ["a negative size", "externalId=a&pageSize=-1"],
  ["an empty size", "externalId=a&pageSize="],
  ["a size above every integer type", "externalId=a&pageSize=99999999999999999999"],
  ["an infinite size", "externalId=a&pageSize=1e309"],
  ["an unknown name", "externalId=a&__proto__[a]=b&constructor=c"],
  ["a long query", `externalId=${"a".repeat(3000)}`]
]

/** Headers for a read of `/workers`. */
export const hostileHeaders: ReadonlyArray<readonly [what: string, headers: Readonly<Record<string, string>>]> = [
  ["an odd media type", { Accept: "text/html;q=nan, */*;q=-1, ;;" }],
  ["an unknown encoding", { "Accept-Encoding": "x-none;q=9, *;q=0" }],
  ["an odd language", { "Accept-Language": "%s,'\"--" }],
  ["an invalid id", { "X-Request-Id": "' OR 1=1 --" }],
  ["a long id", { "X-Request-Id": "a".repeat(2000) }],
  ["another host", { "X-Forwarded-Host": "example.org", "X-Forwarded-For": "'\"<>, ::1, 999.999.999.999" }],
  ["a range", { Range: "bytes=9999999999-0" }],
  ["a condition", { "If-Match": '"', "If-None-Match": "W/", "If-Modified-Since": "yesterday" }],
  ["another method", { "X-HTTP-Method-Override": "'\"" }],
  ["a cookie", { Cookie: "=; a=%00; __proto__=1" }]
]

/** A worker with a hostile string in every field. */
export const workerOf = (text: string, externalId: string): Json => ({
  identity: { displayName: text, [text]: text },
  source: { externalId },
  [text]: { [text]: [text] }
})
