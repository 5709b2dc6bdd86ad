import { firstCell } from "@wcs/store-sql/cells/Directory"
import { Effect, Option, Redacted } from "effect"
import { settingsFileName } from "./Sources.ts"
import { consistent, filePath, oneOf, optional, path, required, wholeNumber } from "./Variable.ts"

/** The Postgres database that several servers can share. */
export interface Database {
  readonly url: Redacted.Redacted
  /** The maximum number of connections for requests of this server. */
  readonly connections: number
}

/** A further database, beside the first one (DATABASE.md, cells). */
export interface Cell {
  readonly name: string
  readonly database: Database
}

/** The location of the store, and whether the server runs a worker. */
export interface StoreSettings {
  readonly dataDirectory: string
  /** The name of the database among the databases of the deployment. */
  readonly cell: string
  /** The databases beside the first one. */
  readonly cells: ReadonlyArray<Cell>
  /** None: the store is a file in the data directory, for this process only. */
  readonly database: Option.Option<Database>
  /** None: the master key is a file in the data directory, created if absent. */
  readonly masterKeyFile: Option.Option<string>
  /** Whether the server also runs a worker. */
  readonly isWorkerInside: boolean
}

/** Reads a Postgres URL with a host and a database. */
const databaseUrl = (text: string): Option.Option<Redacted.Redacted> => {
  const url = text.length > 4096 ? null : URL.parse(text)
  const isMeant =
    url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1
  return isMeant ? Option.some(Redacted.make(text, { label: "DATABASE_URL" })) : Option.none()
}

/** The most databases beside the first one. */
const cellsMax = 16

/** Reads `name=url` pairs, separated by white space. */
const cellUrls = (text: string): Option.Option<ReadonlyArray<readonly [string, Redacted.Redacted]>> => {
  const pairs = text.split(/\s+/).filter((pair) => pair !== "")
  const read = pairs.map((pair) => {
    const [, name = "", url = ""] = /^([a-z][a-z0-9-]{0,30})=(.+)$/.exec(pair) ?? []
    return name === "" || name === firstCell
      ? Option.none()
      : Option.map(
          databaseUrl(url),
          (url) => [name, Redacted.make(Redacted.value(url), { label: "WCS_CELLS" })] as const
        )
  })
  return pairs.length > cellsMax ? Option.none() : Option.all(read)
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  settingsFile: {
    name: settingsFileName,
    ...filePath,
    standard: "",
    meaning:
      "File with further settings, one `NAME=value` per line. The environment wins. Must be [private](#secret-files)."
  },
  dataDirectory: {
    name: "WCS_DATA",
    must: "a directory path",
    standard: "./data",
    meaning: "Directory of the store, the keys and the socket of `wcs admin`. Created with mode 0700.",
    read: path
  },
  databaseUrl: {
    name: "DATABASE_URL",
    must: "a URL postgres://user:password@host:port/database",
    standard: "",
    meaning: "Postgres database of the store. Several servers can share it. Default: an embedded store in `WCS_DATA`.",
    read: databaseUrl,
    isSecret: true
  },
  databaseUrlFile: {
    name: "DATABASE_URL_FILE",
    ...filePath,
    standard: "",
    meaning: "File with the value of `DATABASE_URL`, such as a secret of a container. Replaces `DATABASE_URL`."
  },
  databaseConnections: {
    name: "WCS_DATABASE_CONNECTIONS",
    ...wholeNumber(1, 500),
    standard: "10",
    meaning:
      "With `DATABASE_URL`: maximum connections for requests per server and database. Each server uses three more for notifications."
  },
  cells: {
    name: "WCS_CELLS",
    must: "at most 16 pairs name=postgres://user:password@host:port/database, separated by white space; a name has lower-case letters, digits and hyphens, and is not main",
    standard: "",
    meaning:
      "With `DATABASE_URL`: further databases, to which `wcs move-tenant` can move tenants. The same for all servers and workers. See [cells](../../apps/wcs/deploy/DATABASE.md#cells).",
    read: cellUrls,
    isSecret: true
  },
  cellsFile: {
    name: "WCS_CELLS_FILE",
    ...filePath,
    standard: "",
    meaning: "File with the value of `WCS_CELLS`, one pair per line. Replaces `WCS_CELLS`."
  },
  masterKeyFile: {
    name: "WCS_MASTER_KEY_FILE",
    must: "the path of a file with 64 hex digits",
    standard: "",
    meaning:
      "Master key, the same for all servers of a database. Must be [private](#secret-files). A second line can hold a key that only decrypts, for a rotation. Default: `master.key` in `WCS_DATA`, created by the first run.",
    read: path
  },
  worker: {
    name: "WCS_WORKER",
    must: "inside or apart",
    standard: "inside",
    meaning:
      "`inside`: the server verifies credentials and sends events itself. `apart`: separate `wcs worker` processes on the same database do this.",
    read: oneOf("inside", "apart")
  }
} as const

const readDatabase = Effect.gen(function* () {
  const url = yield* optional(variables.databaseUrl)
  const connections = yield* required(variables.databaseConnections)
  return Option.map(url, (url): Database => ({ url, connections }))
})

/** A separate worker needs a database: the embedded store allows only one process. */
const readWorker = Effect.fnUntraced(function* (database: Option.Option<Database>) {
  const isInside = (yield* required(variables.worker)) === "inside"
  yield* consistent([!isInside && Option.isNone(database) && "WCS_WORKER can be apart only when DATABASE_URL is set."])
  return isInside
})

/** Each further database has a name and a URL of its own. */
const readCells = Effect.fnUntraced(function* (database: Option.Option<Database>) {
  const pairs = Option.getOrElse(yield* optional(variables.cells), () => [])
  const given = Option.map(database, ({ url }) => Redacted.value(url))
  const urls = [...Option.toArray(given), ...pairs.map(([, url]) => Redacted.value(url))]
  yield* consistent([
    pairs.length > 0 && Option.isNone(database) && "WCS_CELLS needs DATABASE_URL: the embedded store is a single file.",
    new Set(pairs.map(([name]) => name)).size < pairs.length && "WCS_CELLS must not have a name twice.",
    new Set(urls).size < urls.length && "WCS_CELLS must not name a database twice, nor that of DATABASE_URL."
  ])
  const connections = yield* required(variables.databaseConnections)
  return pairs.map(([name, url]): Cell => ({ name, database: { url, connections } }))
})

export const read = Effect.gen(function* () {
  const database = yield* readDatabase
  return {
    cell: firstCell,
    cells: yield* readCells(database),
    dataDirectory: yield* required(variables.dataDirectory),
    database,
    masterKeyFile: yield* optional(variables.masterKeyFile),
    isWorkerInside: yield* readWorker(database)
  } satisfies StoreSettings
})
