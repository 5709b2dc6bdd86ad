import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { Sessions } from "@wcs/domain/login/Sessions"
import * as ListQuery from "@wcs/domain/resource/ListQuery"
import { type Invited, TenantUsers, UserPatch, UserWrite } from "@wcs/domain/user/TenantUsers"
import { WhoAmI } from "@wcs/domain/user/WhoAmI"
import { Effect, Layer, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { invitePath } from "../login/InviteRoutes.ts"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { listHandler, one, readHandler, removeHandler } from "./CollectionHandlers.ts"

interface OfOne {
  readonly params: { readonly id: string }
}

/** Adds the URL of the invite page, on the host of the request. */
const withUrl = ({ document, secret }: Invited) =>
  HttpServerRequest.HttpServerRequest.use(({ headers }) =>
    Effect.succeed({
      ...document,
      inviteUrl: `https://${headers["host"] ?? ""}${invitePath}/${Redacted.value(secret)}`
    })
  )

const users = HttpApiBuilder.group(
  NewerSurface,
  "users",
  Effect.fn(function* (handlers) {
    const users = yield* TenantUsers

    const create = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(UserWrite)
      const document = yield* withUrl(yield* users.invite(value))
      return yield* one({ document, warnings }, 201, { location: `${newerRoot}/users/${document.id}` })
    }).pipe(refusing)

    const patch = ({ params }: OfOne) =>
      Effect.gen(function* () {
        const body = yield* JsonBody.read(["application/merge-patch+json", "application/json"])
        const { value, warnings } = yield* JsonBody.decodeAs(UserPatch)(body)
        return yield* one({ document: yield* users.patch(params.id, value), warnings })
      }).pipe(refusing)

    return handlers
      .handle("list", listHandler(users.list))
      .handleRaw("create", () => create)
      .handle("read", readHandler(users.read))
      .handleRaw("patch", patch)
      .handle("remove", removeHandler(users.remove))
      .handle("activate", ({ params }) =>
        users.activate(params.id).pipe(
          Effect.flatMap((document) => one({ document, warnings: [] })),
          refusing
        )
      )
      .handle("reinvite", ({ params }) =>
        users.renewInvite(params.id).pipe(
          Effect.flatMap(withUrl),
          Effect.flatMap((document) => one({ document, warnings: [] })),
          refusing
        )
      )
  })
)

const sessions = HttpApiBuilder.group(
  NewerSurface,
  "sessions",
  Effect.fn(function* (handlers) {
    const sessions = yield* Sessions
    return handlers
      .handle("list", listHandler(sessions.list))
      .handle("read", readHandler(sessions.read))
      .handle("remove", removeHandler(sessions.remove))
  })
)

const me = HttpApiBuilder.group(
  NewerSurface,
  "me",
  Effect.fn(function* (handlers) {
    const { read } = yield* WhoAmI
    const shown = HttpServerRequest.ParsedSearchParams.pipe(
      Effect.flatMap((query) => Effect.fromResult(ListQuery.singles([], query))),
      Effect.andThen(read),
      Effect.flatMap((document) => one({ document, warnings: [] })),
      refusing
    )
    return handlers.handle("read", () => shown)
  })
)

/** The groups of users, sessions and the caller. */
export const layer = Layer.mergeAll(users, sessions, me)
