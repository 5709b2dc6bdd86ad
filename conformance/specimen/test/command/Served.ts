import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { hosts } from "@wcs/specimen/server/World"
import type { Serve } from "@wcs/specimen/target/Serve"
import type { Target } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { pathOf } from "../Rewrite.ts"
import { environmentOf, reveal, type Specimen, started } from "../Specimen.ts"

/** Called for every call. */
export interface Watch {
  /** Called before a create is served; `nth` counts the creates, including this one. */
  readonly creating?: (nth: number) => void
  readonly answered?: (request: Request, answer: Answer) => void
}

/** A listener that serves calls as if sent to the tenants' own hosts. */
const listenerOf =
  (serve: Serve, scheme: "http" | "https"): http.RequestListener =>
  (message, response) => {
    const chunks: Array<Buffer> = []
    message.on("data", (chunk: Buffer) => chunks.push(chunk))
    message.on("end", () => {
      const host = message.headers.host?.replace(/:\d+$/, "") ?? ""
      const headers = message.rawHeaders.flatMap(
        (name, index, all): Array<[string, string]> =>
          index % 2 === 1 || /^(host|connection|content-length)$/i.test(name) ? [] : [[name, all[index + 1] ?? ""]]
      )
      const request: Request = {
        method: message.method ?? "",
        url: `${scheme}://${host === "localhost" ? hosts.first : host}${message.url}`,
        headers,
        body: Buffer.concat(chunks).toString("utf8")
      }
      Effect.runPromise(serve(request)).then(
        ({ headers: told, status, text }) => {
          const { "content-length": _, "transfer-encoding": __, ...rest } = told
          response.writeHead(status, rest).end(text)
        },
        () => response.destroy()
      )
    })
  }

/** A listener on a free port, for the lifetime of the scope. */
const listening = (listener: http.RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly server: http.Server }>((resume) => {
      const server = http.createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({ port: typeof address === "object" && address !== null ? address.port : 0, server }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const groups = "workers|applicants|credentials|recruitment-checks|fetch-requests|exemptions|webhooks|compliance-checks"
const creating = new RegExp(`^/(${groups})$`)

const isCreate = (request: Request): boolean => request.method === "POST" && creating.test(pathOf(request))

/** The same deployment with callbacks. `made` gets the URL of every created resource. */
const watching = (serve: Serve, { answered, creating }: Watch) => {
  const made: Array<string> = []
  let creates = 0
  const watched: Serve = (request) =>
    Effect.suspend(() => {
      if (isCreate(request)) {
        creates += 1
        creating?.(creates)
      }
      return Effect.map(serve(request), (answer) => {
        const id = at(answer.json, "data.id")
        if (isCreate(request) && answer.status === 201) made.push(`${request.url}/${id}`)
        answered?.(request, answer)
        return answer
      })
    })
  return { made, watched }
}

/** The profile of a deployment on these ports. */
const located = (profile: Profile, port: number, plainPort: number): Profile => {
  const { legacy, secondTenant, webLogin: _, ...others } = profile
  return {
    ...others,
    // the addresses of these pages have no ports
    notOffered: ["web login by SAML", "web login with TOTP"],
    newer: { tenantBaseUrl: `http://${hosts.first}:${port}`, plainHttpUrl: `http://${hosts.first}:${plainPort}` },
    ...(secondTenant && { secondTenant: { ...secondTenant, tenantBaseUrl: `http://${hosts.second}:${port}` } }),
    ...(legacy && {
      legacy: {
        ...legacy,
        baseUrl: `http://${hosts.legacy}:${port}`,
        plainHttpUrl: `http://${hosts.legacy}:${plainPort}`
      }
    }),
    resolve: Object.fromEntries(Object.values(hosts).map((host) => [host, "127.0.0.1"]))
  }
}

/** A token of the second tenant's admin. */
const otherToken = Effect.fnUntraced(function* ({ profile, secrets, serve }: Target) {
  const admin = profile.secondTenant?.admin
  if (admin === undefined || !("oauth" in admin)) return ""
  const { clientId, clientSecret } = admin.oauth
  const form = {
    grant_type: "client_credentials",
    client_id: reveal(secrets, clientId),
    client_secret: reveal(secrets, clientSecret)
  }
  const headers = [["Content-Type", "application/x-www-form-urlencoded"]] as const
  const url = `https://${hosts.second}/openapi/v1/oauth/token`
  const granted = yield* serve({ method: "POST", url, headers, body: new URLSearchParams(form).toString() })
  return String(at(granted.json, "access_token"))
})

/** The second server on its own sockets, for the lifetime of the scope. */
export const served = Effect.fnUntraced(function* (specimen: Specimen = {}, watch: Watch = {}) {
  const target = yield* started(specimen)
  const { made, watched } = watching(target.serve, watch)
  const { port } = yield* listening(listenerOf(watched, "https"))
  const { port: plainPort } = yield* listening(listenerOf(watched, "http"))
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "specimen-"))),
    (one) => Effect.sync(() => rmSync(one, { recursive: true, force: true }))
  )
  const get = (url: string, token: string) =>
    target.serve({ method: "GET", url, headers: [["Authorization", `Bearer ${token}`]], body: "" })
  const personal = reveal(target.secrets, target.profile.principals.personalToken ?? "")
  /** Reads a created resource as an admin of its tenant. */
  const readMade = Effect.fnUntraced(function* (url: string) {
    return yield* get(url, url.includes(hosts.second) ? yield* otherToken(target) : personal)
  })
  const isLeft = ({ json, status }: Answer) => status !== 404 && at(json, "data.deleted") === undefined
  return {
    folder,
    port,
    profile: located(target.profile, port, plainPort),
    environment: environmentOf(target.secrets),
    /** The created resources that are not deleted. */
    left: Effect.filter(made, (url) => Effect.map(readMade(url), isLeft)),
    /** The number of created resources. */
    count: () => made.length
  }
})

/** Writes a profile into a folder and returns the file's path. */
export const writeProfile = (folder: string, profile: Profile): string => {
  const file = join(folder, "profile.json")
  writeFileSync(file, JSON.stringify(profile))
  return file
}

const { NODE_COMPILE_CACHE, PATH } = process.env

/** The result of a command line. */
export interface Ran {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The published command in its own process; `started` gets the process. */
export const command = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  started: (child: ChildProcess) => void = () => undefined
): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const main = fileURLToPath(import.meta.resolve("@wcs/conformance/main"))
    const child = spawn(process.execPath, [main, ...args], { env: { NODE_COMPILE_CACHE, PATH, ...environment } })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, out, err })))
    started(child)
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The exit code of a script that a run wrote. */
export const scriptCode = (file: string, environment: Readonly<Record<string, string>>) =>
  Effect.callback<number | null>((resume) => {
    const child = spawn("sh", [file], { env: { PATH, ...environment }, stdio: "ignore" })
    child.once("close", (code) => resume(Effect.succeed(code)))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
