import { startEngine } from "@wcs/store-suite/postgres/Engine"
import { Client } from "pg"

/** Version and settings of the measured Postgres. */
export interface PostgresFacts {
  readonly version: string
  readonly sharedBuffers: string
  readonly synchronousCommit: string
  readonly fsync: string
}

/** A Postgres for one run, with a database per side. */
export interface Postgres {
  readonly facts: PostgresFacts
  /** Creates an empty database and returns its URL. */
  readonly empty: () => Promise<string>
  /** Copies a database that has no connections. */
  readonly copyOf: (url: string) => Promise<string>
  /** Writes everything to disk, so that no checkpoint falls into a measurement. */
  readonly checkpoint: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Uses a database over a connection of its own. */
export const connected = async <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

const factsOf = async (client: Client): Promise<PostgresFacts> => {
  const { rows } = await client.query(`SELECT current_setting('server_version') AS version,
    current_setting('shared_buffers') AS "sharedBuffers", current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('fsync') AS fsync`)
  return rows[0]
}

const nameIn = (url: string): string => new URL(url).pathname.slice(1)

/** Starts the Postgres of the tests with production durability, and its data below the directory. */
export const startPostgres = async (below: string): Promise<Postgres> => {
  const { stop, url } = await startEngine({ below, isDurable: true })
  let databases = 0
  const make = async (ending: string): Promise<string> => {
    const own = new URL(url)
    own.pathname = `/wcs_bench_${++databases}`
    await connected(url, (client) => client.query(`CREATE DATABASE ${nameIn(own.href)}${ending}`))
    return own.href
  }
  const facts = await connected(url, factsOf)
  if (facts.fsync !== "on" || facts.synchronousCommit !== "on")
    throw new Error("this Postgres is not durable: fsync and synchronous_commit must be on")
  return {
    facts,
    empty: () => make(""),
    copyOf: (other) => make(` TEMPLATE ${nameIn(other)}`),
    checkpoint: async () => void (await connected(url, (client) => client.query("CHECKPOINT"))),
    stop
  }
}
