/** A detail of a server's internals in a text. */
export interface Disclosed {
  readonly what: string
  /** The matching part of the text. */
  readonly text: string
}

/**
 * Texts that are never written for a caller. Public addresses, API paths and plain English ("select a worker from the
 * list") do not count.
 */
const forms: ReadonlyArray<readonly [what: string, form: RegExp]> = [
  [
    "stack",
    /\bat [^\n]{0,200}\.\w+:\d+:\d+|Traceback \(most recent call last\)|\b[\w$]+\.(?:java|kt|cs|go|py|rb|php):\d+/
  ],
  ["stack", /(?:^|\W)(?:goroutine \d+ \[|panic: |Caused by: |node_modules\/)/],
  [
    "query",
    /\b(?:SELECT\s.{1,200}?\sFROM|INSERT\s+INTO|DELETE\s+FROM)\s|\bUPDATE\s+[\w."]+\s+SET\s|\bselect\s+\*\s+from\s/
  ],
  ["query", /\b(?:SQLSTATE|ORA-\d{5}|SQLITE_[A-Z]+)\b|syntax error at or near|duplicate key value violates/],
  [
    "file path",
    /(?:^|[\s"'(=:])(?:file:\/\/|[A-Z]:\\|\/(?:usr|home|var|opt|srv|app|etc|tmp|root|mnt|proc)\/)[^\s"')]+/
  ],
  ["host", /\b(?:\d{1,3}\.){3}\d{1,3}\b|\blocalhost\b|\b[a-z][\w-]*(?:\.[\w-]+)+:\d{2,5}\b/],
  [
    "host",
    /\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|svc)\b|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|getaddrinfo)\b/
  ]
]

/** The internal details that a text shows. */
export const disclosedIn = (text: string): ReadonlyArray<Disclosed> =>
  forms.flatMap(([what, form]) => {
    const [found] = form.exec(text) ?? []
    return found === undefined ? [] : [{ what, text: found.trim().slice(0, 200) }]
  })
