import { isObject, type JsonValue } from "@wcs/domain/shared/Json"
import { oneOf, type Random } from "../Rounds.ts"

/** Texts with a special meaning for parsers, databases, paths or headers. */
const words: ReadonlyArray<string> = [
  ...[
    "",
    " ",
    "\0",
    "\u0001",
    "\r\nX-Injected: 1",
    "\u0085",
    "\u2028",
    "\u202e",
    "\ufeff",
    "\ud800",
    "e\u0301",
    "例え",
    "😀"
  ],
  ...[
    "' OR '1'='1",
    '"; DROP TABLE worker; --',
    "%",
    "_%_",
    "\\",
    "../../etc/passwd",
    "%2e%2e%2f",
    "%00",
    "%zz",
    "%c0%af"
  ],
  ...["__proto__", "constructor", "toString", "null", "undefined", "NaN", "true", "-0", "1e400", "{{7*7}}", "<script>"],
  ...["0000-00-00", "2023-02-29", "9999-12-31", "+275760-09-13T00:00:00.000Z", "2026-01-01T00:00:00+99:99", "string"],
  ...["x".repeat(300), "é".repeat(5000), "😀".repeat(2000), "a,".repeat(600), "-".repeat(40)]
]

/** Values as JSON text. No JavaScript value can express some of them. */
const values: ReadonlyArray<string> = [
  ...["null", "true", "0", "-1", "1.5", "-0", "1e400", "-1e400", "1e-400", "9007199254740993", "2147483648"],
  ...[
    "1".repeat(400),
    "0.1".padEnd(300, "1"),
    "[]",
    "{}",
    "[[]]",
    '[null,true,{"a":[]}]',
    '{"__proto__":{"polluted":1}}'
  ],
  ...['{"id":{"id":{"id":"id"}}}', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '{"":""}', '{"toString":1}'],
  `${"[".repeat(60)}${"]".repeat(60)}`,
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  `[${"0,".repeat(3000)}0]`,
  `{${Array.from({ length: 500 }, (_, n) => `"k${n}":${n}`).join()}}`
]

export const wildText = (random: Random): string =>
  random(3) === 0 ? oneOf(random, words) + oneOf(random, words) : oneOf(random, words)

/** A hostile value as JSON text. */
export const wildValue = (random: Random): string =>
  random(2) === 0 ? JSON.stringify(wildText(random)) : oneOf(random, values)

/** The printable ASCII of a text, which every client can put on a request line. */
export const printable = (text: string): string => text.replaceAll(/[^\u0021-\u007e]/g, "")

/** The text that a client can put into a header. */
export const headerText = (random: Random): string =>
  wildText(random)
    .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "")
    .trim()
    .slice(0, 2000)

type Path = ReadonlyArray<string>

const pathsIn = (value: JsonValue, path: Path = []): ReadonlyArray<Path> => [
  path,
  ...(isObject(value) ? Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key])) : []),
  ...(Array.isArray(value) ? value.flatMap((inner, index) => pathsIn(inner, [...path, String(index)])) : [])
]

const mark = "\u241e place \u241e"

const replaced = (value: JsonValue, [key, ...rest]: Path, by: JsonValue): JsonValue => {
  if (key === undefined) return by
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? replaced(one, rest, by) : one))
  return isObject(value) ? { ...value, [key]: replaced(value[key] ?? null, rest, by) } : value
}

const without = (value: JsonValue, [key = "", ...rest]: Path): JsonValue => {
  if (!isObject(value)) return value
  if (rest.length > 0) return { ...value, [key]: without(value[key] ?? null, rest) }
  const { [key]: _, ...others } = value
  return others
}

/** The text of a body with one part replaced by a hostile value. */
const withWildValue = (random: Random, body: JsonValue): string =>
  JSON.stringify(replaced(body, oneOf(random, pathsIn(body)), mark)).replace(JSON.stringify(mark), () =>
    wildValue(random)
  )

/** Adds a member before the others of an object, so that a name may appear twice. */
const withMember = (random: Random, body: JsonValue): string => {
  const names = isObject(body) ? Object.keys(body) : []
  const name = names.length > 0 && random(2) === 0 ? oneOf(random, names) : wildText(random)
  const text = JSON.stringify(body)
  const separator = text === "{}" ? "" : ","
  return text.startsWith("{") ? `{${JSON.stringify(name)}:${wildValue(random)}${separator}${text.slice(1)}` : text
}

const ways: ReadonlyArray<(random: Random, body: JsonValue) => string | Uint8Array> = [
  (_, body) => JSON.stringify(body),
  (_, body) => JSON.stringify(body),
  (_, body) => JSON.stringify(body),
  withWildValue,
  withWildValue,
  withWildValue,
  withMember,
  (random, body) => JSON.stringify(without(body, oneOf(random, pathsIn(body)))),
  (random, body) => JSON.stringify(body).slice(0, -1 - random(20)),
  (random) => wildValue(random),
  (random) => wildText(random),
  (random) => Uint8Array.from({ length: random(60) }, () => random(256)),
  (random, body) => JSON.stringify(body) + oneOf(random, ["}", "\0", " {}", "\ufeff", ","]),
  (random, body) => (random(25) === 0 ? JSON.stringify({ ...Object(body), padding: "x".repeat(1_100_000) }) : "[")
]

/** A body: as given, changed in one place, or not JSON at all. */
export const hostileBody = (random: Random, body: JsonValue): string | Uint8Array => oneOf(random, ways)(random, body)
