import { createServer } from "node:net"
import { resolve } from "node:path"
import { idsOf, ProcessDescription } from "@wcs/deployment/admin/ProcessDescription"
import { isListening } from "@wcs/deployment/admin/SocketProbe"
import { Settings } from "@wcs/deployment/Settings"
import { socketOf } from "@wcs/deployment/stores/DataDirectory"
import { describe } from "@wcs/node-server/StartRefused"
import { Effect, Option, Result, Schema } from "effect"
import { adminUrl } from "../ListenUrl.ts"
import { askServer } from "../Operating.ts"
import { type Finding, findingsOf } from "./Finding.ts"
import { readKey } from "./Store.ts"

const { failed, ok, warning } = findingsOf("ports")

const listenOn = (port: number, host: string | undefined) =>
  new Promise<string | undefined>((settle) => {
    const server = createServer()
    server.once("error", (cause) => settle(describe(cause)))
    server.listen({ port, host, exclusive: true }, () => server.close(() => settle(undefined)))
  })

/** How long a process may take to describe itself, and the maximum size of the description. */
const answerMillis = 2_000
const answerBytesMax = 4_096

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessDescription))

/** The process of ours that listens on an admin port. None if another program does. */
const processAt = (url: string) =>
  Effect.tryPromise(async () => {
    const response = await fetch(`${url}/process`, { redirect: "error", signal: AbortSignal.timeout(answerMillis) })
    const isShort = Number(response.headers.get("content-length") ?? answerBytesMax) < answerBytesMax
    if (response.ok && isShort) return decode(await response.text())
    await response.body?.cancel()
    return Option.none()
  }).pipe(Effect.orElseSucceed(() => Option.none<ProcessDescription>()))

/** The settings or the deployment of a process. Without the master key, the deployment is unknown. */
type Owner = "these settings" | "this deployment with another WCS_DATA" | "another deployment" | "a deployment"

const ownerOf = Effect.fnUntraced(function* (found: ProcessDescription): Effect.fn.Return<Owner, never, Settings> {
  const key = yield* readKey
  if (Result.isFailure(key)) return "a deployment"
  const ids = idsOf(key.success, resolve((yield* Settings).dataDirectory))
  if (ids.directory.includes(found.directory)) return "these settings"
  return ids.deployment.includes(found.deployment) ? "this deployment with another WCS_DATA" : "another deployment"
})

interface Wanted {
  readonly name: string
  readonly port: number
  readonly host: string | undefined
}

/** The ports of the settings. A start selects a free one for 0. */
const wantedPorts = Settings.useSync(({ adminHost, adminPort, host, plainPort, port }): ReadonlyArray<Wanted> => {
  const ofClients = Option.getOrUndefined(host)
  return [
    { name: "WCS_PORT", port, host: ofClients },
    { name: "WCS_ADMIN_PORT", port: adminPort, host: adminHost },
    ...Option.toArray(plainPort).map((port) => ({ name: "WCS_PLAIN_PORT", port, host: ofClients }))
  ].filter(({ port }) => port !== 0)
})

const numbers = (all: ReadonlyArray<Wanted>): string => all.map(({ port }) => port).join(", ")

/** The ports of the server that answers on the socket of the data directory. */
const portsOfSocket = Effect.map(
  askServer((client) => client.describeServer()),
  Option.match({
    onNone: (): ReadonlyArray<number> => [],
    onSome: ({ plainPort, port }) => (plainPort === null ? [port] : [port, plainPort])
  })
)

/** A port that this process cannot listen on, and why. */
interface Taken extends Wanted {
  readonly fault: string
}

const takenOf = (wanted: ReadonlyArray<Wanted>) =>
  Effect.map(
    Effect.forEach(wanted, ({ host, port }) => Effect.promise(() => listenOn(port, host))),
    (faults) =>
      wanted.flatMap((one, index): ReadonlyArray<Taken> => {
        const fault = faults[index]
        return fault === undefined ? [] : [{ ...one, fault }]
      })
  )

/** The process of ours at the admin port, if that port is taken: its owner, its role and all its ports. */
const runningAt = Effect.fnUntraced(function* (taken: ReadonlyArray<Taken>) {
  const { adminPort } = yield* Settings
  if (!taken.some(({ name }) => name === "WCS_ADMIN_PORT")) return undefined
  const found = yield* processAt(yield* adminUrl(adminPort))
  if (Option.isNone(found)) return undefined
  const { ports, role } = found.value
  return { owner: yield* ownerOf(found.value), role, ports: [adminPort, ...ports] }
})

/** Whether a server listens on the socket of the data directory, even if it does not answer. */
const hasServer = Settings.use(({ dataDirectory }) => Effect.flatMap(socketOf(dataDirectory), isListening)).pipe(
  Effect.orElseSucceed(() => false)
)

/** Whether the server can listen on its ports, or does so already. */
export const ports = Effect.gen(function* () {
  const wanted = yield* wantedPorts
  const taken = yield* takenOf(wanted)
  if (taken.length === 0) {
    return [ok(wanted.length === 0 ? "A start selects free ports." : `${numbers(wanted)} are free.`)]
  }
  const running = yield* runningAt(taken)
  const isOwn = running?.owner === "these settings"
  const ofSocket = yield* portsOfSocket
  if (ofSocket.length === 0 && (yield* hasServer)) {
    return [failed("The server of this data directory does not answer: look at its log, or restart it.")]
  }
  // a server of an earlier version does not describe itself on its admin port
  const undescribed = running === undefined && ofSocket.length > 0 ? [(yield* Settings).adminPort] : []
  const own = [...(isOwn ? running.ports : []), ...ofSocket, ...undescribed]
  const foreign = taken.filter(({ port }) => !own.includes(port))
  const advice = (name: string): string => `set ${name} to another port, or free this one.`
  if (isOwn && running.role === "worker") {
    // the worker needs no other port
    return [
      ok("The worker of these settings is running. A server beside it needs another WCS_ADMIN_PORT."),
      ...foreign.map(({ name, port }) => warning(`A server could not use port ${port}: ${advice(name)}`))
    ]
  }
  if (foreign.length === 0) return [ok(`The server of this data directory is running. It uses ${numbers(taken)}.`)]
  return foreign.map(({ fault, name, port }): Finding => {
    const reason = running?.ports.includes(port) ? `a ${running.role} of ${running.owner} uses it` : fault
    return failed(`Port ${port} cannot be used (${reason}): ${advice(name)}`)
  })
})
