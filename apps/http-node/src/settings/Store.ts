import { Effect, Option, Redacted } from "effect"
import { contradiction, integer, oneOf, optional, path, required } from "./Variable.ts"

/** The Postgres that several servers share. */
export interface Database {
  readonly url: Redacted.Redacted
  /** How many connections this server's requests may have at once. */
  readonly connections: number
}

/** Where the store is, and who does the work that is written into it. */
export interface StoreSettings {
  readonly dataDirectory: string
  /** None: the store is a file of the data directory, and this process's alone. */
  readonly database: Option.Option<Database>
  /** None: the master key is a file of the data directory, made where there is none. */
  readonly masterKeyFile: Option.Option<string>
  /** Whether the server does a worker's work too. */
  readonly isWorkerInside: boolean
}

/** A URL of Postgres with a host and a database. */
const databaseUrl = (text: string): Option.Option<Redacted.Redacted> => {
  const url = text.length > 4096 ? null : URL.parse(text)
  const isMeant =
    url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.hostname !== "" && url.pathname.length > 1
  return isMeant ? Option.some(Redacted.make(text, { label: "DATABASE_URL" })) : Option.none()
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  dataDirectory: {
    name: "WCS_DATA",
    must: "a directory path",
    standard: "./data",
    meaning: "The directory of the store, its keys and the socket of `wcs admin`; made with mode 0700.",
    read: path
  },
  databaseUrl: {
    name: "DATABASE_URL",
    must: "a URL postgres://user:password@host:port/database",
    standard: "",
    meaning:
      "The Postgres that holds the store, which several servers may share; a file of `WCS_DATA` where it is left out.",
    read: databaseUrl,
    isSecret: true
  },
  databaseConnections: {
    name: "WCS_DATABASE_CONNECTIONS",
    must: "a whole number from 1 to 500",
    standard: "10",
    meaning:
      "With `DATABASE_URL`: connections for requests at once, of each server; three more watch what the others do.",
    read: integer(1, 500)
  },
  masterKeyFile: {
    name: "WCS_MASTER_KEY_FILE",
    must: "the path of a file with 64 hex digits",
    standard: "",
    meaning:
      "The master key, the same for every server of a database; no other user may be able to read it. `master.key` of `WCS_DATA`, made by the first run, where it is left out.",
    read: path
  },
  worker: {
    name: "WCS_WORKER",
    must: "inside or apart",
    standard: "inside",
    meaning:
      "Whether the server verifies credentials and sends events itself, or leaves that to processes of `wcs worker` on the same database.",
    read: oneOf("inside", "apart")
  }
} as const

const readDatabase = Effect.gen(function* () {
  const url = yield* optional(variables.databaseUrl)
  const connections = yield* required(variables.databaseConnections)
  return Option.map(url, (url): Database => ({ url, connections }))
})

/** The embedded store is one process's alone: nobody else could do its work. */
const readWorker = Effect.fnUntraced(function* (database: Option.Option<Database>) {
  const isInside = (yield* required(variables.worker)) === "inside"
  if (isInside || Option.isSome(database)) return isInside
  return yield* contradiction("WCS_WORKER can be apart only where DATABASE_URL is given.")
})

export const read = Effect.gen(function* () {
  const database = yield* readDatabase
  return {
    dataDirectory: yield* required(variables.dataDirectory),
    database,
    masterKeyFile: yield* optional(variables.masterKeyFile),
    isWorkerInside: yield* readWorker(database)
  } satisfies StoreSettings
})
