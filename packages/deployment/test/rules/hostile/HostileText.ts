import fc from "fast-check"

// Texts with a special meaning for parsers, databases, paths or headers.
const morsel = fc.constantFrom(
  ..."aZ09 _-.:;,/\\'\"`%&=?#<>{}[]()|$*+~!@^",
  ...["\0", "\u0001", "\t", "\n", "\r", "\u007f", "\u0085", "\u2028", "\ufeff", "\ufffd"],
  ...["é", "e\u0301", "例", "😀", "\ud800", "\udc00", "\u202e"],
  ...["%00", "%ff", "%zz", "%2e%2e", "%2f", "%c0%af", "%F0%9F%98%80", "\\u0000"],
  ...["../", "{{7*7}}", "' OR '1'='1", "; --"],
  ...["__proto__", "constructor", "prototype", "toString", "null", "undefined", "NaN", "true", "1e400", "-0"]
)

/** Up to twelve special pieces. */
export const hostileText = fc.array(morsel, { maxLength: 12, size: "max" }).map((parts) => parts.join(""))

const longText = fc.tuple(morsel, fc.constantFrom(10, 100, 300, 2000)).map(([one, count]) => one.repeat(count))

/** The same, or one piece repeated. */
export const text = fc.oneof({ weight: 2, arbitrary: hostileText }, { weight: 1, arbitrary: longText })
