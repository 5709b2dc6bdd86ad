import { createServer } from "node:http"
import { isIP } from "node:net"
import { hostname } from "node:os"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { AnswerRequest } from "@wcs/http/pipeline/Edge"
import type { Incoming } from "@wcs/http/request/Incoming"
import type { Exemplars } from "@wcs/node-server/Exemplars"
import { ambiguityOf } from "@wcs/node-server/Framing"
import { serveOn } from "@wcs/node-server/Listening"
import { Effect, type Option, Ref } from "effect"
import { HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Settings } from "../Settings.ts"
import { DataDirectory } from "../stores/DataDirectory.ts"
import * as Gauges from "../telemetry/Gauges.ts"
import * as OpenMetrics from "../telemetry/OpenMetrics.ts"
import { version } from "../Version.ts"
import { idsOf, type ProcessDescription } from "./ProcessDescription.ts"

/** The timeout of the readiness check of the store. */
const readyMillis = 2_000

const text = (status: number, body: string) => HttpServerResponse.text(`${body}\n`, { status })

/** All metrics, as OpenMetrics with exemplars if the scraper accepts it. */
const metrics = (accept: string | undefined, exemplars: Exemplars) =>
  Effect.map(PrometheusMetrics.format({ prefix: "wcs" }), (body) =>
    OpenMetrics.isAccepted(accept)
      ? HttpServerResponse.text(OpenMetrics.fromText(body, exemplars), { contentType: OpenMetrics.contentType })
      : HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  )

const unknownHost = text(421, "unknown host; see WCS_ADMIN_NAMES")

/** The client does not matter here. */
const unknownPeer = { address: "unknown", secure: false }

/** The host of a `Host` header, without port and brackets. */
const hostOf = (authority: string): string =>
  authority
    .replace(/:\d*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")
    .toLowerCase()

/**
 * Whether the `Host` header is an IP address or a name of this machine. Other hosts get neither metrics nor the
 * description, because a web page could reach the port through a host name of an attacker (DNS rebinding).
 */
const isOwn = (authority: string, names: ReadonlyArray<string>): boolean => {
  const host = hostOf(authority)
  return isIP(host) !== 0 || names.includes(host)
}

/** A process with an admin port. */
export interface Process extends Pick<ProcessDescription, "role"> {
  readonly isStopping: Ref.Ref<boolean>
  readonly exemplars: Exemplars
  /** The other ports. Waits until the process listens on them. */
  readonly ports: Effect.Effect<ReadonlyArray<number>>
}

/** Describes the process, by the first key of the master key file. */
const describe = Effect.fnUntraced(function* ({ ports, role }: Pick<Process, "ports" | "role">) {
  const { masterKey, path } = yield* DataDirectory
  const ids = idsOf(masterKey, path)
  const [deployment = "", directory = ""] = [ids.deployment[0], ids.directory[0]]
  return Effect.map(ports, (ports): ProcessDescription => ({ role, version, deployment, directory, ports }))
})

/** Serves health and metrics (DECISIONS.md#operation), without tenant, token and TLS. */
export const listen = Effect.fnUntraced(function* ({ exemplars, isStopping, ports, role }: Process) {
  const { adminHost, adminNames, adminPort } = yield* Settings
  const names = ["localhost", adminHost, hostname(), ...adminNames].map((name) => name.toLowerCase())
  const store = yield* AccessStore
  const measure = yield* Gauges.make
  const description = yield* describe({ ports, role })

  const isReady = store.listTenants.pipe(
    Effect.timeoutOption(readyMillis),
    Effect.map((tenants: Option.Option<unknown>) => tenants._tag === "Some"),
    Effect.catchCause(() => Effect.succeed(false))
  )
  const readyz = Effect.gen(function* () {
    if (yield* Ref.get(isStopping)) return text(503, "stopping")
    return (yield* isReady) ? text(200, "ready") : text(503, "the store does not answer")
  })

  const respond = Effect.fnUntraced(function* ({ headers, method, url }: Incoming) {
    if (method !== "GET" && method !== "HEAD") return text(405, "only GET and HEAD are supported")
    switch (url.split("?", 1)[0]) {
      case "/livez":
        return text(200, `alive ${version}`)
      case "/readyz":
        return yield* readyz
      case "/process":
        if (!isOwn(headers["host"] ?? "", names)) return unknownHost
        return HttpServerResponse.jsonUnsafe(yield* description)
      case "/metrics":
        if (!isOwn(headers["host"] ?? "", names)) return unknownHost
        yield* measure
        return yield* metrics(headers["accept"], exemplars)
      default:
        return text(404, "unknown path; use /livez, /readyz, /metrics or /process")
    }
  })
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 5_000 })
  server.maxConnections = 100
  const place = { port: adminPort, host: adminHost, portVariable: "WCS_ADMIN_PORT", hostVariable: "WCS_ADMIN_HOST" }
  const answer: AnswerRequest = (request, context) =>
    Effect.runForkWith(context)(Effect.map(respond(request), (response) => ({ response, headers: {} })))
  return yield* serveOn(server, place, answer, { peerOf: () => unknownPeer, ambiguityOf })
})
