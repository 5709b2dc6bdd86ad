import type { Sought } from "@wcs/domain/shared/SearchWords"
import type { User } from "@wcs/domain/user/User"
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeBoundedReads, ReadLimits } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { endOfPrefix } from "../engine/Prefix.ts"
import { keep } from "../engine/Query.ts"
import { changes, type Script } from "../engine/Script.ts"
import { wordsSource } from "../migrations/SearchTables.ts"

// A searched row has all its words in the column `words`, to test the row, and an entry of `search_word` for each, to
// find the row.

/** The column `words`: each word after a space. */
export const wordsText = (words: ReadonlyArray<string>): string => words.map((word) => ` ${word}`).join("")

/** The words of a column `words`. */
export const wordsIn = (text: string): ReadonlyArray<string> => text.split(" ").slice(1)

/** The value of `wordsSource` for a user. */
export const userWordsSource = ({ firstName, surname }: Pick<User, "firstName" | "surname">): string =>
  `${firstName} ${surname}`

/** Assigns `words_of` in an UPDATE. If the words were out of date, they stay so: the entries of others may be missing. */
export const wordsOfNext = (
  sql: SqlClient.SqlClient,
  table: string,
  source: string | number | null
): Statement.Fragment =>
  sql`words_of = CASE WHEN words_of = ${sql.literal(wordsSource(table))} THEN ${source} ELSE words_of END`

/** Rows that are searched. */
export interface SearchedRows {
  readonly table: string
  /** The `kind` of their entries in `search_word`. */
  readonly kind: string
}

/** Writes the entries of one row after a change of its words. */
export const makeWordsWriter = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  interface Entries {
    readonly tenantId: string
    readonly kind: string
    readonly id: string
    readonly words: string
  }
  const remove = keep<Entries, object>(
    sql,
    (at) => sql`DELETE FROM search_word WHERE tenant_id = ${at("tenantId")} AND kind = ${at("kind")}
      AND word IN (SELECT value FROM ${dialect.texts(at("words"))}) AND id = ${at("id")}`
  )
  // An entry can exist already if an earlier version changed the row meanwhile.
  const add = keep<Entries, object>(
    sql,
    (at) => sql`INSERT INTO search_word (tenant_id, kind, word, id)
      SELECT CAST(${at("tenantId")} AS TEXT), CAST(${at("kind")} AS TEXT), value, CAST(${at("id")} AS TEXT)
      FROM ${dialect.texts(at("words"))} WHERE true ON CONFLICT DO NOTHING`
  )
  return function* (
    kind: string,
    tenantId: string,
    id: string,
    before: ReadonlyArray<string>,
    after: ReadonlyArray<string>
  ): Script<void> {
    const gone = before.filter((word) => !after.includes(word))
    const entries = (words: ReadonlyArray<string>) => ({ tenantId, kind, id, words: JSON.stringify(words) })
    if (gone.length > 0) yield* changes(remove(entries(gone)))
    if (after.length > 0) yield* changes(add(entries(after)))
  }
}

/** Tests whether the words of a row `r` match a search. */
export const wordsTest = (sql: SqlClient.SqlClient, sought: Sought): Statement.Fragment => {
  const { indexIn } = dialectOf(sql)
  const groups = sought.map((group) => sql.and(group.map((word) => sql`${indexIn}(r.words, ${` ${word}`}) > 0`)))
  return sql`(${sql.or(groups)})`
}

const longestOf = (words: ReadonlyArray<string>): string =>
  words.reduce((longest, word) => (word.length > longest.length ? word : longest), "")

/** An entry of `search_word`, and whether its row matches. */
interface Entry {
  readonly word: string
  readonly id: string
  readonly isMatch: boolean
}

/**
 * Finds rows by their words. Each statement reads the next entries that begin with the longest word of a group, in
 * order, and tests their rows. So the cost of a statement does not depend on the number of rows. The number of
 * statements grows with the entries that begin with that word, until there are enough matches.
 */
export const makeSearch = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const { examined } = yield* ReadLimits
  const { run } = yield* makeBoundedReads

  const entriesAfter = Effect.fnUntraced(function* (
    { kind, table }: SearchedRows,
    tenantId: string,
    beginning: string,
    tests: ReadonlyArray<Statement.Fragment>,
    after: Entry | undefined
  ): Effect.fn.Return<ReadonlyArray<Entry>, SqlError.SqlError> {
    const end = endOfPrefix(beginning)
    const bounds = [
      sql`w.tenant_id = ${tenantId}`,
      sql`w.kind = ${kind}`,
      after === undefined ? sql`w.word >= ${beginning}` : sql`(w.word, w.id) > (${after.word}, ${after.id})`,
      ...(end === undefined ? [] : [sql`w.word < ${end}`])
    ]
    const found = yield* run(sql`SELECT entry.word, entry.id, r.id AS found FROM (
        SELECT w.word, w.id FROM search_word AS w${dialect.indexedBy("sqlite_autoindex_search_word_1")}
        WHERE ${sql.and(bounds)} ORDER BY w.word, w.id LIMIT ${examined}
      ) AS entry LEFT JOIN ${sql.literal(table)} AS r
      ON ${sql.and([sql`r.tenant_id = ${tenantId}`, sql`r.id = entry.id`, ...tests])}
      ORDER BY entry.word, entry.id`)
    return found.map((row) => ({ word: String(row["word"]), id: String(row["id"]), isMatch: row["found"] !== null }))
  })

  /** Returns the ids of matching rows, at most `most`. `tests` are those of the search and others, on rows `r`. */
  return Effect.fnUntraced(function* (
    rows: SearchedRows,
    tenantId: string,
    sought: Sought,
    tests: ReadonlyArray<Statement.Fragment>,
    most: number
  ): Effect.fn.Return<ReadonlyArray<string>, SqlError.SqlError> {
    const found = new Set<string>()
    for (const beginning of new Set(sought.map(longestOf))) {
      for (let last: Entry | undefined; ; ) {
        const entries = yield* entriesAfter(rows, tenantId, beginning, tests, last)
        for (const { id, isMatch } of entries) {
          if (isMatch) found.add(id)
          if (found.size >= most) return [...found]
        }
        if (entries.length < examined) break
        last = entries.at(-1)
        yield* Effect.yieldNow
      }
    }
    return [...found]
  })
})
