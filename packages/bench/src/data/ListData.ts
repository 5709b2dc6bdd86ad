import type { DatabaseSync } from "node:sqlite"
import type { Resource } from "@wcs/domain/resource/Resource"
import { prefixes } from "@wcs/domain/shared/Id"
import { fromRfc3339, isCalendarDate } from "@wcs/domain/shared/Instant"
import { at, type JsonObject, put } from "@wcs/domain/shared/Json"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { sampleOf } from "@wcs/store-suite/resource/RandomFields"
import { whileUnindexed } from "./Dataset.ts"
import { createdAtOf } from "./Ids.ts"

// Rows of every definition, created inside the database: SQLite makes a million in seconds, this process would need
// minutes. Row `n` of `rows` is computed by SQL expressions, and clients read its values back.

/** How many rows share a text prefix, an early date, or the verdict that reads as lapsed. */
export const rowsOfFew = 100

/** The date that few rows have, a date between it and all others, and a date after all. */
const earlyDate = "2001-01-01"
export const dateAfterFew = "2002-01-01"
export const dateAfterAll = "9999-12-31"

/** The text prefix that few rows share. */
export const beginningOfFew = (text: string): string => text.slice(0, 9)

/** Permutes 32-bit numbers, so that neighbours in one order are far apart in another. */
const scattered = (n: string): string => `((${n}) * 2654435761 % 4294967296)`

/** Equal for `rowsOfFew` rows, which are spread over the table. */
const bucket = (rows: number): string => `n % ${Math.max(1, rows / rowsOfFew)}`

const idOf = (kind: keyof typeof prefixes): string => `'${prefixes[kind]}' || printf('%016x', ${scattered("n")})`

/** Half of the rows have the first value, the others share some of the rest. Each value fills several pages. */
const shared = ([first = "", ...rest]: ReadonlyArray<string>): string => {
  const others = rest.slice(0, 5)
  const cases = others.map((value, index) => `WHEN ${index} THEN '${value}'`).join(" ")
  return others.length === 0
    ? `'${first}'`
    : `CASE n % 2 WHEN 0 THEN '${first}' ELSE CASE n / 2 % ${others.length} ${cases} END END`
}

/** The owner type whose id a column holds. */
const ownerIn = (resource: Resource, column: string): "worker" | "applicant" | undefined => {
  const owners = Object.values(resource.filters).flatMap((filter) =>
    filter.by === "holder" ? filter.holders.filter((holder) => holder.column === column) : []
  )
  return owners.map(({ resource: type }) => type as "worker" | "applicant")[0]
}

/** A column of row `n`: by its filter, else by its value in a sample document. */
const columnOf = (resource: Resource, column: string, example: unknown, rows: number): string => {
  const owner = ownerIn(resource, column)
  if (owner !== undefined) return idOf(owner)
  for (const filter of Object.values(resource.filters)) {
    if (!("column" in filter) || filter.column !== column) continue
    if (filter.by === "lapsing") {
      const others = filter.among.filter((value) => value !== filter.lapsed)
      return `CASE ${bucket(rows)} WHEN 0 THEN '${filter.lapsed}' ELSE ${shared(others)} END`
    }
    if (filter.by !== "equal") continue
    if (filter.among !== undefined) return shared(filter.among)
    if (filter.of !== undefined) return idOf(filter.of)
    if (!Object.values(resource.sorts).includes(column)) return shared(["MOST", "SECOND", "THIRD", "FOURTH", "FIFTH"])
  }
  if (typeof example === "string" && isCalendarDate(example)) {
    return `CASE ${bucket(rows)} WHEN 0 THEN '${earlyDate}' ELSE date('2030-01-01', (${scattered("n")} % 3650) || ' days') END`
  }
  if (typeof example === "string" && fromRfc3339(example) !== undefined) {
    return `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + ${scattered("n")} % 100000000, 'unixepoch')`
  }
  return `printf('%08x %07d', ${scattered(bucket(rows))}, n)`
}

const idExpression = ({ naming }: Resource): string => {
  switch (naming.by) {
    case "minting":
      return idOf(naming.kind)
    case "code":
      return `'c' || printf('%08x', ${scattered("n")})`
    case "urn":
      return `'urn:wcs:ban:ndis:' || printf('%08x', ${scattered("n")})`
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A complete document, with placeholders for values that differ between rows. */
const documentOf = (resource: Resource): { readonly base: JsonObject; readonly places: ReadonlyArray<string> } => {
  // A task about a card or ban is shown only while that is there, so these are about none.
  let base: JsonObject =
    resource.type === "task"
      ? put(put(sampleOf(resource), ["credential"], undefined), ["ban"], undefined)
      : sampleOf(resource)
  const places: Array<string> = []
  const set = (path: ReadonlyArray<string>, value: string) => {
    base = put(base, path, "")
    places.push(`'$${path.map((key) => `."${key}"`).join("")}', ${value}`)
  }
  for (const [column, { apart, path }] of Object.entries(resource.columns)) {
    if (apart === true) base = put(base, path, undefined)
    else set(path, typeof at(base, path) === "boolean" ? `json(${column})` : column)
  }
  if (resource.naming.by === "code") set(resource.naming.path, "id")
  return { base, places }
}

/** The two words of a row, each after a space. Few rows share the first. */
const wordsOfRow = (rows: number): string => `printf(' %08x %07d', ${scattered(bucket(rows))}, n)`

/** Inserts the search words of a table, in the order of their key. */
const fillWords = (database: DatabaseSync, { type }: Resource): void => {
  const word = (start: number, length: number) =>
    `SELECT tenant_id, '${type}' AS kind, substr(words, ${start}, ${length}) AS word, id FROM ${type}`
  database.exec(`INSERT INTO search_word (tenant_id, kind, word, id)
    SELECT * FROM (${word(2, 8)} UNION ALL ${word(11, 7)}) ORDER BY tenant_id, kind, word, id`)
}

const fillTable = (database: DatabaseSync, tenantId: string, resource: Resource, rows: number): void => {
  const example = sampleOf(resource)
  const columns = Object.entries(resource.columns)
  const isSearched = resource.searched !== undefined
  // Columns that are filters and no part of a document.
  const apart = Object.values(resource.filters).flatMap((filter) =>
    filter.by === "equal" && resource.columns[filter.column] === undefined ? [filter.column] : []
  )
  const plain = [...columns.map(([column]) => column), ...apart]
  const names = [...plain, ...(isSearched ? ["words", "words_of"] : [])]
  const values = [
    ...columns.map(([column, { path }]) => [column, at(example, path)] as const),
    ...apart.map((column) => [column, undefined] as const)
  ].map(([column, value]) => `${columnOf(resource, column, value, rows)} AS ${column}`)
  const { base, places } = documentOf(resource)
  database.exec(`
    INSERT INTO ${resource.type} (tenant_id, id, version, created_at, updated_at, document, checksum, ${names.join(", ")})
    WITH RECURSIVE
      series (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n < ${rows - 1}),
      made AS (SELECT n, ${idExpression(resource)} AS id, ${values.join(", ")} FROM series)
    SELECT ${quoted(tenantId)}, id, 1, ${createdAtOf(0)} + n, ${createdAtOf(0)} + n,
      json_set(${quoted(JSON.stringify(base))}, ${places.join(", ")}), 0,
      ${[...plain, ...(isSearched ? [wordsOfRow(rows), "0"] : [])].join(", ")}
    FROM made`)
  if (isSearched) fillWords(database, resource)
}

/** Creates this many rows of every definition or of some, and nothing else. */
export const fillLists = (
  directory: string,
  tenantId: string,
  rows: number,
  filled: ReadonlyArray<Resource> = definitions
): void =>
  whileUnindexed(
    directory,
    filled.map(({ type }) => type),
    (database) => {
      for (const resource of filled) fillTable(database, tenantId, resource, rows)
    }
  )
