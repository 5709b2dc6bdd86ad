import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { Context, Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { dialectOf } from "./Dialect.ts"
import { makeReadUpTo, type Row } from "./ReadUpTo.ts"

/**
 * Limits of one statement of a list on an engine in this process, which blocks all other requests while it runs.
 *
 * `examined`: the most rows that it examines. `characters`: it ends after the row that exceeds them. `decoded`: the
 * characters of documents that are decoded in one step. `few`: rows that are sorted in memory, above that they are read
 * in the order of the list.
 */
export const ReadLimits = Context.Reference<{
  readonly few: number
  readonly examined: number
  readonly characters: number
  readonly decoded: number
}>("@wcs/store-sql/engine/ReadLimits", {
  defaultValue: () => ({ few: 1_000, examined: 1_000, characters: 131_072, decoded: 32_768 })
})

/** The position of a row in a range: the values of its keys. */
export type Position = ReadonlyArray<unknown>

/** Rows `r` of a table that are neighbours in an index. */
export interface Range {
  readonly table: string
  readonly index: string
  /** Conditions that give columns of the index one value. */
  readonly fixed: ReadonlyArray<Statement.Fragment>
  /** The first and the last of the keys. A position replaces the one on its side: two would not limit the index. */
  readonly lower: ReadonlyArray<Statement.Fragment>
  readonly upper: ReadonlyArray<Statement.Fragment>
  /** The columns of the index behind those with one value. Together they differ in each row. */
  readonly keys: ReadonlyArray<string>
  readonly direction: "asc" | "desc"
  /** Further conditions on rows, which rows of the range may not meet. */
  readonly tests: ReadonlyArray<Statement.Fragment>
}

/** The part of a range's matches to read. */
export interface Part {
  readonly after: Position | undefined
  /** Matches to skip after that. */
  readonly offset: number
  /** The most matches to return. */
  readonly limit: number
}

/** Compares keys with a position, in the direction of the range. */
const beyond = (sql: SqlClient.SqlClient, { direction, keys }: Range, after: Position) => {
  const operator = sql.literal(direction === "asc" ? ">" : "<")
  const [key, ...more] = keys.map((column) => sql.literal(`r.${column}`))
  const values = after.map((value) => sql`${value}`)
  return more.length === 0
    ? sql`${key} ${operator} ${sql.csv(values)}`
    : sql`(${sql.csv([key ?? sql.literal(""), ...more])}) ${operator} (${sql.csv(values)})`
}

const keyName = (_: string, index: number): string => `key_${index}`

/** The statements of chunks. */
const makeStatements = (sql: SqlClient.SqlClient, examined: number) => {
  const dialect = dialectOf(sql)
  const name = (text: string) => sql.literal(text)

  /** The index entries after a position, in order. */
  const entries = (range: Range, after: Position | undefined): Statement.Fragment => {
    const { direction, fixed, index, keys, lower, table, upper } = range
    const position = after === undefined ? undefined : [beyond(sql, range, after)]
    const ends = direction === "asc" ? [...(position ?? lower), ...upper] : [...lower, ...(position ?? upper)]
    const all = [...fixed, ...ends]
    const way = direction === "asc" ? "ASC" : "DESC"
    const order = keys.map((column) => `r.${column} ${way}`).join(", ")
    return sql`FROM ${name(table)} AS r${dialect.indexedBy(index)} WHERE ${sql.and(all)} ORDER BY ${name(order)}`
  }

  /** The matches among the next entries. Entries come one by one, so a LIMIT ends the read early. */
  const matches = (range: Range, after: Position | undefined): Statement.Fragment =>
    sql`FROM (SELECT r.${dialect.rowPlace} AS place ${entries(range, after)} LIMIT ${examined}) AS entry
      CROSS JOIN ${name(range.table)} AS r
      WHERE ${sql.and([...range.tests, sql`r.${dialect.rowPlace} = entry.place`])}`

  /** One row: the keys of the last entry of the chunk, or null if the chunk reached the end of the range. */
  const end = (range: Range, after: Position | undefined): Statement.Fragment => {
    const keys = range.keys.map((column, index) => `r.${column} AS ${keyName(column, index)}`).join(", ")
    return sql`FROM (SELECT 1) LEFT JOIN
      (SELECT ${name(keys)} ${entries(range, after)} LIMIT 1 OFFSET ${examined - 1}) AS last`
  }

  return {
    /**
     * The next matches, up to `limit`, with their keys. If there are fewer, a last row with `is_end` follows, with the
     * keys of `end`. One statement, so both parts see the same rows.
     */
    chunk: (range: Range, columns: ReadonlyArray<string>, after: Position | undefined, limit: number) => {
      const keys = range.keys.map((column, index) => `r.${column} AS ${keyName(column, index)}`)
      const ends = [
        ...columns.map(() => "NULL"),
        ...range.keys.map((column, index) => `last.${keyName(column, index)}`)
      ]
      return sql<Row>`SELECT ${name([...columns, ...keys].join(", "))}, 0 AS is_end ${matches(range, after)}
        UNION ALL SELECT ${name(ends.join(", "))}, 1 ${end(range, after)} LIMIT ${limit}`
    },

    /** The number of matches of a chunk, and the keys of `end`. */
    count: (range: Range, after: Position | undefined) =>
      sql<Row>`SELECT (SELECT count(*) ${matches(range, after)}) AS counted,
        ${name(range.keys.map((column, index) => `last.${keyName(column, index)}`).join(", "))} ${end(range, after)}`
  }
}

/**
 * Reads and counts matches in chunks on an engine in this process. A chunk is one statement with limits. Other
 * requests run between two chunks. Each chunk continues behind the last row that the one before examined, and
 * reads what is committed by then.
 */
export const makeBoundedReads: Effect.Effect<
  {
    /** The matches in the order of the range. Each row has the given columns of `r`. */
    readonly read: (
      range: Range,
      columns: ReadonlyArray<string>,
      part: Part
    ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
    /** The number of matches of all ranges, at most `totalLimit`. */
    readonly count: (ranges: ReadonlyArray<Range>) => Effect.Effect<number, SqlError.SqlError>
    readonly few: number
    readonly characters: number
    /** Runs a bounded statement. */
    readonly run: (
      statement: Statement.Statement<unknown>,
      most?: number
    ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  },
  never,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { characters, examined, few } = yield* ReadLimits
  const readUpTo = yield* makeReadUpTo
  const statements = makeStatements(sql, examined)

  const run = (statement: Statement.Statement<unknown>, most = Number.POSITIVE_INFINITY) => {
    const [text, params] = statement.compile()
    return readUpTo(text, params, most)
  }

  const positionOf = ({ keys }: Range, row: Row): Position | undefined => {
    const position = keys.map((column, index) => row[keyName(column, index)])
    return position[0] === null || position[0] === undefined ? undefined : position
  }

  return {
    few,
    characters,
    run,

    read: Effect.fnUntraced(function* (range, columns, { after: beginning, limit, offset }) {
      const found: Array<Row> = []
      let after = beginning
      let toSkip = offset
      for (;;) {
        const isSkipping = toSkip > 0
        const wanted = isSkipping ? Math.min(toSkip, examined) : limit - found.length
        const rows = yield* run(statements.chunk(range, isSkipping ? [] : columns, after, wanted), characters)
        const last = rows.at(-1)
        const isEnd = last?.["is_end"] === 1
        const matches = isEnd ? rows.slice(0, -1) : rows
        if (isSkipping) toSkip -= matches.length
        else found.push(...matches)
        after = last === undefined ? undefined : positionOf(range, last)
        if (after === undefined || found.length >= limit) return found
        yield* Effect.yieldNow
      }
    }),

    count: Effect.fnUntraced(function* (ranges) {
      let total = 0
      for (const range of ranges) {
        let after: Position | undefined
        do {
          const [row = {}] = yield* run(statements.count(range, after))
          total += Number(row["counted"])
          after = positionOf(range, row)
          if (total >= totalLimit) return totalLimit
          if (after !== undefined) yield* Effect.yieldNow
        } while (after !== undefined)
      }
      return total
    })
  }
})
