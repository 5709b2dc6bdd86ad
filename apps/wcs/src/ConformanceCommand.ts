import { hostName, isHostName } from "@wcs/domain/access/Tenant"
import { Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import { Misused } from "./Output.ts"

/** `https://host:port` and nothing after it. */
const readUrl = (text: string): Option.Option<URL> =>
  Option.filter(
    Result.getSuccess(Result.try(() => new URL(text))),
    (url) => url.protocol === "https:" && url.href === `${url.origin}/`
  )

/**
 * `wcs conformance-profile`: everything that the conformance suite needs to know of this deployment, made and told. What
 * does it is loaded only here.
 */
export const conformanceProfile = Command.make(
  "conformance-profile",
  {
    out: Flag.String("out").pipe(
      Flag.withDescription("The file of the profile, which holds no secret; what is there is replaced"),
      Flag.withDefault("conformance-profile.json")
    ),
    environment: Flag.String("env").pipe(
      Flag.withDescription("The file of the secrets, NAME=value lines, mode 0600; what is there is replaced"),
      Flag.withDefault("conformance.env")
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("What the deployment is called in reports; its host where it is left out"),
      Flag.optional
    ),
    url: Flag.String("url").pipe(
      Flag.withDescription(
        "Where the tenant is reached, such as https://localhost:8443; where the server listens else"
      ),
      Flag.optional
    ),
    otherHost: Flag.String("second-tenant-host").pipe(
      Flag.withDescription("A host of a second tenant, which is made where no tenant has it"),
      Flag.withDefault("other.localhost")
    ),
    caFile: Flag.String("ca-file").pipe(
      Flag.withDescription("PEM of the issuer, for what the system does not trust; the self-signed certificate's else"),
      Flag.optional
    ),
    printsSecrets: Flag.Boolean("print-env").pipe(
      Flag.withDescription("Print the secrets, too"),
      Flag.withDefault(false)
    ),
    revokes: Flag.Boolean("revoke").pipe(
      Flag.withDescription("Make nothing: end every token and client that was made for a conformance run"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ otherHost, printsSecrets, revokes, url, ...files }) {
    const making = yield* Effect.promise(() => import("./ConformanceMaking.ts"))
    if (revokes) return yield* making.revoke
    const read = Option.flatMap(url, readUrl)
    if (Option.isSome(url) && Option.isNone(read)) {
      return yield* new Misused({ message: "--url takes https://host:port and nothing after it" })
    }
    const host = hostName(otherHost)
    if (host !== otherHost.toLowerCase() || !isHostName(host)) {
      return yield* new Misused({ message: "--second-tenant-host takes a host name without a port" })
    }
    yield* making.make({ ...files, url: read, otherHost: host }, printsSecrets)
  })
).pipe(
  Command.withDescription("Make principals and a profile, by which the conformance suite can judge this deployment")
)
