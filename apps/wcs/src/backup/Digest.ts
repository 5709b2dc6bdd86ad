import { hash } from "node:crypto"

/** The number of rows of a table, and a digest that does not depend on their order. */
export interface TableDigest {
  readonly rows: number
  readonly digest: string
}

const digestBits = 128

/** Counts and digests the rows of each table, given as JSON. */
export class Digests {
  readonly #tables = new Map<string, { rows: number; sum: bigint }>()

  add(table: string, rows: ReadonlyArray<string>): void {
    const found = this.#tables.get(table) ?? { rows: 0, sum: 0n }
    for (const row of rows) {
      found.rows += 1
      // A sum, since a row must count as often as the table has it.
      found.sum += BigInt(`0x${hash("sha256", row).slice(0, digestBits / 4)}`)
    }
    this.#tables.set(table, found)
  }

  get tables(): Readonly<Record<string, TableDigest>> {
    const entries = Array.from(this.#tables, ([name, { rows, sum }]) => {
      const digest = BigInt.asUintN(digestBits, sum)
        .toString(16)
        .padStart(digestBits / 4, "0")
      return [name, { rows, digest }] as const
    })
    return Object.fromEntries(entries)
  }
}

/** The name of the first table whose rows differ. */
export const differing = (
  expected: Readonly<Record<string, TableDigest>>,
  found: Readonly<Record<string, TableDigest>>
): string | undefined =>
  [...new Set([...Object.keys(expected), ...Object.keys(found)])].find((name) => {
    const [one, other] = [expected[name], found[name]]
    return one === undefined || other === undefined || one.rows !== other.rows || one.digest !== other.digest
  })
