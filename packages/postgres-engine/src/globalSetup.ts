import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { type Engine, startEngine } from "./Engine.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The socket that tells the URL of the run's Postgres to whoever connects. */
    readonly postgresSocket: string
  }
}

/** One engine for all files of a run, started when the first of them asks for it. */
export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-postgres-"))
  const given = process.env["DATABASE_URL"]
  let engine: Promise<Engine> | undefined
  const urlOf = async (): Promise<string> => {
    if (given !== undefined && given !== "") return given
    engine ??= startEngine()
    return (await engine).url
  }
  const server = createServer((asking) => {
    urlOf().then(
      (url) => asking.end(url),
      (error) => {
        console.error(`there is no Postgres for the tests: ${error}`)
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
    await engine?.then(
      ({ stop }) => stop(),
      () => undefined
    )
  }
}
