import { hostName, isHostName } from "@wcs/domain/access/Tenant"
import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { Misused } from "./Output.ts"

/** Parses `https://host:port` without a path. */
const readUrl = (text: string): Option.Option<URL> =>
  Option.filter(
    Result.getSuccess(Result.try(() => new URL(text))),
    (url) => url.protocol === "https:" && url.href === `${url.origin}/`
  )

/**
 * `wcs conformance-profile`: creates the principals and the profile that the conformance suite needs. Imports its
 * modules only when it runs.
 */
export const conformanceProfile = Command.make(
  "conformance-profile",
  {
    out: Flag.String("out").pipe(
      Flag.withDescription("File of the profile, without secrets; an existing file is replaced"),
      Flag.withDefault("conformance-profile.json")
    ),
    environment: Flag.String("env").pipe(
      Flag.withDescription(
        "File of the secrets, with NAME=value lines and mode 0600; an existing file keeps its other lines"
      ),
      Flag.withDefault("conformance-profile.env")
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the deployment in reports; default: its host"),
      Flag.optional
    ),
    url: Flag.String("url").pipe(
      Flag.withDescription("URL of the tenant, such as https://localhost:8443; default: the address of the server"),
      Flag.optional
    ),
    otherHost: Flag.String("second-tenant-host").pipe(
      Flag.withDescription("Host of a second tenant; the tenant is created if no tenant has this host"),
      Flag.withDefault("other.localhost")
    ),
    caFile: Flag.String("ca-file").pipe(
      Flag.withDescription(
        "PEM file of the issuer, if the system does not trust it; default: the self-signed certificate"
      ),
      Flag.optional
    ),
    printsSecrets: Flag.Boolean("print-env").pipe(
      Flag.withDescription("Also print the secrets"),
      Flag.withDefault(false)
    ),
    revokes: Flag.Boolean("revoke").pipe(
      Flag.withDescription("Create nothing; revoke all tokens and clients of earlier conformance runs"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ otherHost, printsSecrets, revokes, url, ...files }) {
    const making = yield* Effect.promise(() => import("./ConformanceMaking.ts"))
    if (revokes) return yield* making.revoke
    const read = Option.flatMap(url, readUrl)
    if (Option.isSome(url) && Option.isNone(read)) {
      return yield* new Misused({ message: "--url must be https://host:port without a path" })
    }
    const host = hostName(otherHost)
    if (host !== otherHost.toLowerCase() || !isHostName(host)) {
      return yield* new Misused({ message: "--second-tenant-host must be a host name without a port" })
    }
    yield* making.make({ ...files, url: read, otherHost: host }, printsSecrets)
  })
).pipe(Command.withDescription("Create the principals and the profile for a conformance run against this deployment"))
