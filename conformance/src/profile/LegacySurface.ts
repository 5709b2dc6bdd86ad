import { Schema } from "effect"
import { legacyPath, path, pathPrefix, secret, template, text, url } from "./Values.ts"

const login = Schema.Struct({
  username: text.annotate({
    description: "The user's email, or an environment variable that holds the email: ${NAME}."
  }),
  password: secret
})
/** A user of the legacy surface. */
export type Login = typeof login.Type

/** The legacy surface. Its address may differ from that of the newer surface. */
export const legacy = Schema.Struct({
  baseUrl: url.annotate({ description: "The address of the surface, without /api." }),
  plainHttpUrl: Schema.optionalKey(
    url.annotate({ description: "The plain-HTTP address; default: that of the newer surface." })
  ),
  pathPrefix: Schema.optionalKey(pathPrefix),
  user: Schema.optionalKey(login.annotate({ description: "A verified user with every permission." })),
  unverified: Schema.optionalKey(login.annotate({ description: "A user with an unverified account." })),
  withoutPermission: Schema.optionalKey(
    Schema.Struct({
      user: login.annotate({ description: "A verified user with the lowest role." }),
      call: Schema.Struct({
        method: Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"]),
        path: legacyPath,
        body: Schema.optionalKey(template)
      })
    }).annotate({ description: "A user, and a call that only legacy.user is permitted to make." })
  ),
  otherOrganization: Schema.optionalKey(
    Schema.Struct({
      path: path.annotate({
        description:
          "Path below the legacy surface's root, /api. {{worker}} is replaced by the id of a worker of the tenant."
      }),
      user: Schema.optionalKey(login),
      baseUrl: Schema.optionalKey(url.annotate({ description: "The address for that user's calls, if it differs." }))
    }).annotate({
      description:
        "The path of a resource of another organization. With a user of another organization: the path of a resource " +
        "that one of the two users may read and the other may not."
    })
  ),
  expiredToken: Schema.optionalKey(secret),
  revokedToken: Schema.optionalKey(secret),
  scan: Schema.optionalKey(
    Schema.Struct({ type: text, identifier: text, first_name: text, surname: text }).annotate({
      description: "A valid scan request. Names: {{unique}}, {{name}}."
    })
  ),
  tokenLifetimeSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
})
