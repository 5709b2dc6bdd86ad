import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { sourceOf, startTestPostgres } from "./TestPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that sends the URL of the run's Postgres to each client. */
    readonly postgresSocket: string
  }
}

const start = async () => startTestPostgres(await sourceOf(process.env), console.log)

/** One Postgres for all files of a run, started at the first request. */
export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-postgres-"))
  let postgres: ReturnType<typeof start> | undefined
  const urlOf = async (): Promise<string> => {
    postgres ??= start()
    return (await postgres).url
  }
  const server = createServer((asking) => {
    urlOf().then(
      (url) => asking.end(url),
      (error) => {
        console.error(`Postgres for the tests cannot be started: ${error}`)
        asking.end()
      }
    )
  })
  const socket = join(folder, "socket")
  server.listen(socket)
  const forget = () => rmSync(folder, { recursive: true, force: true })
  process.once("exit", forget)
  provide("postgresSocket", socket)
  return async () => {
    server.close()
    forget()
    await postgres?.then(
      ({ stop }) => stop(),
      () => undefined
    )
  }
}
