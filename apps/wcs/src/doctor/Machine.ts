import { existsSync, readFileSync, statfsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Settings } from "@wcs/deployment/Settings"
import { checkSocket, exposedDirectory, socketOf } from "@wcs/deployment/stores/DataDirectory"
import { exposureOf } from "@wcs/node-server/Exposure"
import { Effect, Option, Result } from "effect"
import { type Finding, findingsOf } from "./Finding.ts"

const { failed: unusable, ok: usable } = findingsOf("data directory")

/** The owner and mode of the data directory, which a start would refuse, and of its socket. */
export const dataDirectory = Effect.gen(function* () {
  const { dataDirectory } = yield* Settings
  const path = resolve(dataDirectory)
  const socket = yield* Effect.result(Effect.flatMap(socketOf(path), (file) => checkSocket(path, file)))
  if (Result.isFailure(socket)) return unusable(socket.failure.message)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return usable(`${path} does not exist yet. The first start creates it.`)
  if (!found.isDirectory()) return unusable(`${path} is not a directory: set WCS_DATA to a directory.`)
  const exposure = exposureOf(path, found, "directory")
  return exposure === undefined ? usable(`${path} is private.`) : unusable(exposedDirectory(path, found, exposure))
})

/** Types of file systems (statfs(2)). Locks and syncs of a network file system do not protect a SQLite file. */
const networkTypes = [0x6969, 0xff534d42, 0xfe534d42, 0x517b]
const memoryTypes = [0x01021994, 0x858458f6]
const gibibyte = 1024 ** 3

const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

/** The file system of the data directory and its free space. */
export const disk = Effect.gen(function* () {
  const { database, dataDirectory } = yield* Settings
  const { failed, ok, warning } = findingsOf("disk")
  const path = nearest(resolve(dataDirectory))
  const { bavail, bsize, blocks, type } = statfsSync(path)
  const [free, size] = [bavail * bsize, blocks * bsize]
  const shown = `${(free / gibibyte).toFixed(1)} GiB of ${(size / gibibyte).toFixed(1)} GiB at ${path} are free`
  const findings: Array<Finding> = []
  if (Option.isNone(database) && networkTypes.includes(type)) {
    findings.push(failed(`${path} is on a network file system, which can damage the store: use a local disk.`))
  }
  if (Option.isNone(database) && memoryTypes.includes(type)) {
    findings.push(warning(`${path} is in memory, so a restart of the machine loses the store: use a disk.`))
  }
  if (free < gibibyte / 8) findings.push(failed(`Only ${shown}: free some space before writes fail.`))
  else if (free < gibibyte || free < size / 20) findings.push(warning(`Only ${shown}: free some space soon.`))
  else findings.push(ok(`${shown}.`))
  return findings
})

/** File descriptors that the server needs besides its connections. */
const ownFiles = 100

/** The limit of open files, which limits the connections. */
export const openFiles = Effect.gen(function* () {
  const { maxConnections } = yield* Settings
  const { ok, warning } = findingsOf("open files")
  const limits = existsSync("/proc/self/limits") ? readFileSync("/proc/self/limits", "utf8") : ""
  const most = Number(/^Max open files\s+\d+\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  return most >= maxConnections + ownFiles
    ? ok(`The limit allows WCS_MAX_CONNECTIONS (${maxConnections}).`)
    : warning(
        `The limit of open files is ${most}: raise it (LimitNOFILE=, ulimit -n) or set WCS_MAX_CONNECTIONS to at most ${most - ownFiles}.`
      )
})
