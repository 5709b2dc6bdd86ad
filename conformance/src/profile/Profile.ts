import { Schema } from "effect"
import { receiver, redrive, signature, signingSecret } from "./Deliveries.ts"
import { impacts } from "./Impact.ts"
import { legacy } from "./LegacySurface.ts"
import { headerName, path, pathPrefix, secret, template, text, url } from "./Values.ts"
import { webLogin } from "./WebLogin.ts"

const client = Schema.Struct({
  clientId: text.annotate({ description: "The id, or an environment variable that holds the id: ${NAME}." }),
  clientSecret: secret
})
export type Client = typeof client.Type

const principal = Schema.Union([Schema.Struct({ oauth: client }), Schema.Struct({ token: secret })])
/** A caller: an OAuth client or a token. */
export type Principal = typeof principal.Type

export const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const
export type Operation = (typeof operations)[number]

const limited = Schema.Struct({
  token: secret,
  reissued: Schema.optionalKey(secret.annotate({ description: "A second token of the same principal." })),
  privileges: Schema.Record(text, Schema.Array(Schema.Literals(operations))).annotate({
    description: "All privileges of the token, by entity type. It has none on an entity type that is not listed."
  }),
  accountUrn: Schema.optionalKey(text)
})
export type Limited = typeof limited.Type

const principals = Schema.Struct({
  admin: principal.annotate({ description: "A principal with every privilege." }),
  secondClient: Schema.optionalKey(client),
  revokedClient: Schema.optionalKey(client),
  expiredToken: Schema.optionalKey(secret),
  personalToken: Schema.optionalKey(secret.annotate({ description: "A personal token of a Super Admin." })),
  rotated: Schema.optionalKey(Schema.Struct({ old: secret, new: secret })),
  revokedToken: Schema.optionalKey(
    Schema.Struct({
      revoked: secret,
      living: Schema.optionalKey(
        secret.annotate({
          description:
            "A valid token of the same user. Without it, personalToken or admin shows that others stay valid."
        })
      )
    })
  ),
  limited: Schema.optionalKey(Schema.Array(limited)),
  rateLimited: Schema.optionalKey(
    principal.annotate({
      description: "A principal with a rate limit that the run may use up. It should have a small limit of its own."
    })
  ),
  externalToken: Schema.optionalKey(secret),
  enrolledToken: Schema.optionalKey(
    secret.annotate({ description: "A token of a Super Admin with multifactor authentication enrolled." })
  )
})

const change = Schema.Struct({
  method: Schema.Literals(["PATCH", "PUT"]),
  path,
  body: template
})
export type Change = typeof change.Type

const group = Schema.Struct({
  path: Schema.optionalKey(path.annotate({ description: "The path of the group, such as /workers." })),
  create: Schema.optionalKey(
    Schema.Struct({
      body: template,
      secret: Schema.optionalKey(
        text.annotate({
          description:
            "For accessToken and apiClient: the position of the secret in the response to a create, such as data.token. " +
            "Such resources are created with a user's token, only for the rules about their secret."
        })
      )
    })
  ),
  update: Schema.optionalKey(Schema.Array(change)),
  delete: Schema.optionalKey(Schema.Struct({ method: Schema.Literals(["DELETE", "POST"]), path })),
  find: Schema.optionalKey(
    path.annotate({ description: "A list that finds a resource by the name {{unique}}. Used for cleaning up." })
  )
})
/** A group of resources: the parts that the specification does not show. */
export type Group = typeof group.Type

const existing = Schema.Struct({
  existing: Schema.Array(text).check(
    Schema.isMinLength(2),
    Schema.makeFilter((ids) => new Set(ids).size === ids.length, { expected: "different ids" })
  )
}).annotate({
  description:
    "The ids of at least two existing owners, three for every check. The suite links only its own credentials to them, " +
    "and never changes or deletes them."
})

/** The largest seed. */
export const maxSeed = 2_147_483_647

const run = Schema.Struct({
  ceiling: Schema.optionalKey(Schema.Literals(impacts).annotate({ description: "The most that a run may change." })),
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  requests: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  requestsPerSecond: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 10_000 })).annotate({
      description: "The most requests in a second, for a limiter in front of the deployment; default: no limit."
    })
  ),
  budget: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })).annotate({
      description: "Run only the walks that judge most with this many requests."
    })
  ),
  secondsPerCall: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
  secondsInAll: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))),
  secondsToWait: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3600 })).annotate({
      description: "The longest single wait for a rate limit."
    })
  ),
  seed: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxSeed })).annotate({
      description: "Seed of the random choices: the same seed makes the same calls."
    })
  ),
  rounds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
      description: "Number of rounds of concurrent calls."
    })
  )
})

const derivedRead = Schema.Struct({
  method: Schema.Literals(["GET", "POST"]),
  path: path.annotate({
    description: "{{worker}} and so on are replaced by ids of resources that are created for the call."
  }),
  body: Schema.optionalKey(template),
  tellsOf: Schema.Array(text).check(Schema.isMinLength(2)).annotate({
    description: "The entity types that the response contains: worker, credential and so on."
  })
})
export type DerivedRead = typeof derivedRead.Type

/** What stands in front of a deployment wants more than the specification says. */
const network = Schema.Struct({
  clientCertificate: Schema.optionalKey(
    Schema.Struct({
      certFile: text.annotate({
        description: "A PEM file with the certificate and its chain, relative to the profile."
      }),
      keyFile: text.annotate({ description: "A PEM file with the key, relative to the profile." }),
      passphrase: Schema.optionalKey(secret)
    }).annotate({ description: "The certificate of the suite, for a gateway that requires one." })
  ),
  headers: Schema.optionalKey(
    Schema.Record(headerName, text).annotate({
      description:
        "Further headers of every call, such as an API key or another User-Agent. A secret is an environment " +
        "variable: ${NAME}. Never sent to other hosts, nor to plainHttpUrl."
    })
  )
}).annotate({ description: "What a gateway in front of the deployment requires." })

/** The profile of one deployment: what a run may use, and the details that the specification leaves open. */
export const Profile = Schema.Struct({
  $schema: Schema.optionalKey(Schema.String),
  name: text,
  deployment: Schema.optionalKey(
    Schema.Struct({
      product: Schema.optionalKey(text),
      version: Schema.optionalKey(text),
      contact: Schema.optionalKey(text)
    })
  ),
  newer: Schema.Struct({
    tenantBaseUrl: url,
    plainHttpUrl: Schema.optionalKey(url),
    pathPrefix: Schema.optionalKey(pathPrefix)
  }),
  legacy: Schema.optionalKey(legacy),
  secondTenant: Schema.optionalKey(Schema.Struct({ tenantBaseUrl: url, admin: principal })),
  tls: Schema.optionalKey(
    Schema.Struct({
      caFile: Schema.optionalKey(text.annotate({ description: "A PEM file, relative to the profile." }))
    })
  ),
  network: Schema.optionalKey(network),
  resolve: Schema.optionalKey(
    Schema.Record(text, text).annotate({ description: "Addresses of hosts that DNS does not know, by host." })
  ),
  principals,
  groups: Schema.optionalKey(
    Schema.Record(text, group).annotate({
      description: "The groups by entity type: worker, credential, applicant and so on."
    })
  ),
  owners: Schema.optionalKey(
    Schema.Struct({ applicant: Schema.optionalKey(existing), worker: Schema.optionalKey(existing) }).annotate({
      description: "Existing owners of credentials, if the interface cannot create them."
    })
  ),
  ownership: Schema.optionalKey(
    Schema.Struct({
      link: Schema.optionalKey(template.annotate({ description: "The body of link. Names: {{type}}, {{id}}." })),
      unlink: Schema.optionalKey(template.annotate({ description: "The body of unlink. Names: {{type}}, {{id}}." })),
      bulkLink: Schema.optionalKey(
        template.annotate({
          description: "The body of bulk link. Names: {{from}} and {{to}} (references), {{credentialIds}}."
        })
      )
    })
  ),
  sort: Schema.optionalKey(Schema.Struct({ path, parameter: text, known: text, unknown: text })),
  businessRule: Schema.optionalKey(
    Schema.Struct({
      method: Schema.Literals(["POST", "PUT", "PATCH"]),
      path,
      body: template,
      allowedBody: template
    }).annotate({ description: "A request that breaks a business rule with body and succeeds with allowedBody." })
  ),
  signingSecret: Schema.optionalKey(signingSecret),
  receiver: Schema.optionalKey(receiver),
  signature: Schema.optionalKey(signature),
  redrive: Schema.optionalKey(redrive),
  verifiableCredential: Schema.optionalKey(
    Schema.Struct({
      body: template.annotate({ description: "Names: {{worker}}, the owner, and {{unique}}, a name." })
    }).annotate({ description: "How to create a credential that can be verified." })
  ),
  subscribedWebhook: Schema.optionalKey(
    Schema.Struct({
      body: template.annotate({ description: "Names: {{receiver}}, the URL, and {{unique}}, a name." })
    }).annotate({
      description:
        "The body of a webhook that receives credential.verified; default: groups.webhook.create.body. Needed if " +
        "that subscription requires more than CREATE on webhook; groups.webhook.create.body then has other events."
    })
  ),
  derivedReads: Schema.optionalKey(
    Schema.Array(derivedRead).annotate({
      description: "Calls that change nothing and return data of several entity types."
    })
  ),
  providerPaths: Schema.optionalKey(Schema.Array(path)),
  readPaths: Schema.optionalKey(
    Schema.Record(text, path).annotate({
      description: "Paths for reading a group, by entity type, if they differ from the specification."
    })
  ),
  audit: Schema.optionalKey(
    Schema.Struct({
      path: path.annotate({
        description:
          "A list of the audit entries of one resource, {{id}}. Only the creator of the resource may have entries. " +
          "Without {{id}}: the list of all entries, latest first; those that contain the id of the resource count."
      }),
      actor: text.annotate({ description: "The position of the acting account in an entry, such as account.urn." })
    }).annotate({ description: "How to read the audit history." })
  ),
  bulkFetchRequest: Schema.optionalKey(
    Schema.Struct({
      path,
      body: template.annotate({
        description: "Names: {{worker}}, an existing worker, and {{nobody}}, an unknown one."
      }),
      items: Schema.optionalKey(
        text.annotate({ description: "The position of the items in the response; default: data." })
      ),
      id: Schema.optionalKey(
        text.annotate({ description: "The position of the fetch request's id in an item; default: id." })
      )
    }).annotate({ description: "The bulk fetch request." })
  ),
  webLogin: Schema.optionalKey(webLogin.annotate({ description: "How people log in to the web application." })),
  oauthLifetimeSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  notOffered: Schema.optionalKey(
    Schema.Array(text).annotate({ description: "Names of the needs that the deployment offers through no interface." })
  ),
  run: Schema.optionalKey(run)
}).annotate({ identifier: "Profile", title: "Profile of a deployment of the Workforce Compliance Service" })
export type Profile = typeof Profile.Type
