import { Schema } from "effect"
import { impacts } from "../catalogue/Impact.ts"

const secret = Schema.String.check(
  Schema.isPattern(/^\$\{[A-Z_][A-Z0-9_]*\}$/u, {
    expected: "an environment variable's name, written ${NAME}: secrets do not stand in a profile"
  })
).annotate({
  identifier: "Secret",
  description: "A secret, named by the environment variable that holds it: ${CONF_TOKEN}. Never the secret itself."
})

/** Where a secret is found: `${CONF_TOKEN}`. */
export type Secret = typeof secret.Type

const text = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(2000))
const origin = { pattern: /^https?:\/\/[^\s/?#]+\/?$/u, expected: "a URL of scheme, host and port alone" }

/** Whether a text is a URL of scheme, host and port alone, with nobody's name and password in it. */
export const isOrigin = (candidate: string): boolean =>
  origin.pattern.test(candidate) && URL.canParse(candidate) && new URL(candidate).username === ""

const url = text
  .check(
    // what the pattern does not take it tells itself
    Schema.makeFilter((candidate) => !origin.pattern.test(candidate) || isOrigin(candidate), {
      expected: origin.expected
    }),
    Schema.isPattern(origin.pattern, { expected: origin.expected })
  )
  .annotate({
    description: "Scheme, host and port; nothing after them."
  })
const path = text.check(Schema.isPattern(/^\/[^\s]*$/u, { expected: "a path that begins with /" })).annotate({
  description: "Relative to the newer surface's root, /openapi/v1. {{id}} stands for the id of the resource."
})
const legacyPath = path.annotate({ description: "Relative to the legacy surface's root, /api." })
/** A value in which `{{name}}` stands for what the suite puts there; a property whose value is left out is dropped. */
const template = Schema.Json.annotate({
  description: "JSON in which {{name}} stands for what the suite puts there."
})

const client = Schema.Struct({
  clientId: text.annotate({ description: "The id, or ${NAME} of the environment variable that holds it." }),
  clientSecret: secret
})
export type Client = typeof client.Type

const principal = Schema.Union([Schema.Struct({ oauth: client }), Schema.Struct({ token: secret })])
/** Somebody who calls: an OAuth client, or the holder of a token. */
export type Principal = typeof principal.Type

const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const
export type Operation = (typeof operations)[number]

const limited = Schema.Struct({
  token: secret,
  reissued: Schema.optionalKey(secret.annotate({ description: "A second token of the same principal." })),
  privileges: Schema.Record(text, Schema.Array(Schema.Literals(operations))).annotate({
    description: "By entity type, exactly what it may do; an entity type that is not named: nothing."
  }),
  accountUrn: Schema.optionalKey(text)
})
export type Limited = typeof limited.Type

const principals = Schema.Struct({
  admin: principal.annotate({ description: "May do everything." }),
  secondClient: Schema.optionalKey(client),
  revokedClient: Schema.optionalKey(client),
  expiredToken: Schema.optionalKey(secret),
  personalToken: Schema.optionalKey(secret.annotate({ description: "Of a Super Admin." })),
  rotated: Schema.optionalKey(Schema.Struct({ old: secret, new: secret })),
  revokedToken: Schema.optionalKey(Schema.Struct({ revoked: secret, living: secret })),
  limited: Schema.optionalKey(Schema.Array(limited)),
  rateLimited: Schema.optionalKey(
    principal.annotate({ description: "Whose rate limit may be used up; best one with a small limit of its own." })
  ),
  externalToken: Schema.optionalKey(secret),
  enrolledToken: Schema.optionalKey(
    secret.annotate({ description: "Of a Super Admin who has multifactor authentication enrolled." })
  )
})

const login = Schema.Struct({
  username: text.annotate({ description: "The user's email, or ${NAME} of the environment variable that holds it." }),
  password: secret
})
/** Somebody who logs in on the legacy surface. */
export type Login = typeof login.Type

/** The legacy surface, which may be at another address than the newer one. */
const legacy = Schema.Struct({
  baseUrl: url.annotate({ description: "The surface stands at /api below it." }),
  plainHttpUrl: Schema.optionalKey(
    url.annotate({ description: "Where plain HTTP would be answered; where the newer surface says else." })
  ),
  user: Schema.optionalKey(login.annotate({ description: "Verified, and may do everything." })),
  unverified: Schema.optionalKey(login.annotate({ description: "Whose account is not verified." })),
  withoutPermission: Schema.optionalKey(
    Schema.Struct({
      user: login.annotate({ description: "Verified, of the least of roles." }),
      call: Schema.Struct({
        method: Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE"]),
        path: legacyPath,
        body: Schema.optionalKey(template)
      })
    }).annotate({ description: "Somebody, and a call that they may not make and the user may." })
  ),
  otherOrganization: Schema.optionalKey(
    Schema.Struct({
      path: path.annotate({
        description:
          "Relative to the legacy surface's root, /api. {{worker}} stands for the id of a worker of the tenant."
      }),
      user: Schema.optionalKey(login),
      baseUrl: Schema.optionalKey(url.annotate({ description: "Where that user calls, where that is elsewhere." }))
    }).annotate({
      description:
        "The path of something of another organization; or, with a user of another organization, of something that " +
        "the one user may read and the other may not."
    })
  ),
  expiredToken: Schema.optionalKey(secret),
  revokedToken: Schema.optionalKey(secret),
  scan: Schema.optionalKey(
    Schema.Struct({ type: text, identifier: text, first_name: text, surname: text }).annotate({
      description: "A scan request that is accepted: {{unique}}, {{name}}."
    })
  ),
  tokenLifetimeSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
})

const change = Schema.Struct({
  method: Schema.Literals(["PATCH", "PUT"]),
  path,
  body: template
})
export type Change = typeof change.Type

const group = Schema.Struct({
  path: Schema.optionalKey(path.annotate({ description: "Where the group stands, such as /workers." })),
  create: Schema.optionalKey(
    Schema.Struct({
      body: template,
      secret: Schema.optionalKey(
        text.annotate({
          description:
            "Where the secret is in the answer to a create, for accessToken and apiClient: data.token. Such a group is " +
            "made by a user's token, and only for the rules about its secret."
        })
      )
    })
  ),
  update: Schema.optionalKey(Schema.Array(change)),
  delete: Schema.optionalKey(Schema.Struct({ method: Schema.Literals(["DELETE", "POST"]), path })),
  find: Schema.optionalKey(
    path.annotate({ description: "A list that shows what was made under a name: {{unique}}. For cleaning up." })
  )
})
/** A group of resources, as far as the specification does not show it. */
export type Group = typeof group.Type

/** Where the suite receives what is delivered to webhooks. */
const receiver = Schema.Struct({
  host: Schema.optionalKey(text.annotate({ description: "The address to listen at; 127.0.0.1 if left out." })),
  port: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).annotate({
      description: "Any free one if left out."
    })
  ),
  publicUrl: Schema.optionalKey(
    text
      .check(
        Schema.isPattern(/^https?:\/\/[^\s?#@]+$/u, { expected: "a URL without a query, and nobody's name in it" }),
        Schema.makeFilter((candidate) => URL.canParse(candidate), { expected: "a URL" })
      )
      .annotate({ description: "What the deployment is told: whoever runs it routes all below it to host and port." })
  ),
  patienceSeconds: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 3600 })).annotate({
      description: "As long as a delivery takes at most; 10 if left out."
    })
  )
})
export type ReceiverPlace = Pick<typeof receiver.Type, "host" | "port" | "publicUrl">

const headerName = text.check(Schema.isPattern(/^[\w!#$%&'*+.^`|~-]+$/u, { expected: "the name of a header" }))

/** How deliveries are signed, as data: whatever it is, it is an HMAC with the secret of the webhook (§6). */
const signature = Schema.Struct({
  header: headerName.annotate({ description: "The header that holds the signature." }),
  form: Schema.optionalKey(
    text.check(Schema.isPattern(/\{\{signature\}\}$/u, { expected: "a text that ends with {{signature}}" })).annotate({
      description:
        "How it stands there, such as v1,{{signature}} or t={{timestamp}},v1={{signature}}; {{signature}} alone if " +
        "left out. Of several, behind blanks, commas or semicolons, one has to be right."
    })
  ),
  algorithm: Schema.Literals(["sha1", "sha256", "sha512"]),
  encoding: Schema.Literals(["hex", "base64"]),
  signed: text.annotate({
    description: "What is signed: {{body}}, the names of form, and those of headers, such as {{id}}.{{body}}"
  }),
  headers: Schema.optionalKey(
    Schema.Record(text, headerName).annotate({ description: "What names in signed stand for: the values of headers." })
  ),
  key: Schema.optionalKey(
    Schema.Struct({
      prefix: Schema.optionalKey(text.annotate({ description: "In front of the secret, and no part of the key." })),
      encoding: Schema.Literals(["text", "hex", "base64"])
    }).annotate({ description: "How the secret becomes the key; the secret's own characters if left out." })
  )
})

export type SignatureScheme = typeof signature.Type

/** Where a run stops, and how it goes about. */
/** The largest seed. */
export const maxSeed = 2_147_483_647

const run = Schema.Struct({
  ceiling: Schema.optionalKey(
    Schema.Literals(impacts).annotate({ description: "The most that may be done to the deployment." })
  ),
  concurrency: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))),
  requests: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  secondsPerCall: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 600 }))),
  secondsInAll: Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))),
  secondsToWait: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 3600 })).annotate({
      description: "The longest that a single wait for a rate limit may take."
    })
  ),
  seed: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxSeed })).annotate({
      description: "Chooses what is chosen by chance: the same seed, the same calls."
    })
  ),
  rounds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).annotate({
      description: "How often calls are made at once to see whether an order explains their answers."
    })
  )
})

/** Whether a text is a regular expression that has a group. */
const isPatternWithGroup = (candidate: string): boolean => {
  try {
    return (new RegExp(`${candidate}|`).exec("")?.length ?? 0) > 1
  } catch {
    return false
  }
}

const webPath = text
  .check(Schema.isPattern(/^(?:\/|https?:\/\/|\{\{)\S*$/u, { expected: "a path that begins with /, or a URL" }))
  .annotate({ description: "Relative to the tenant's host, or a URL." })
const pattern = text
  .check(Schema.makeFilter(isPatternWithGroup, { expected: "a regular expression with a group" }))
  .annotate({ description: "A regular expression. Its first group is the value." })

const webStep = Schema.Struct({
  method: Schema.Literals(["GET", "POST", "PUT"]),
  path: webPath,
  form: Schema.optionalKey(
    Schema.Record(text, Schema.String).annotate({ description: "Fields of a form. ${NAME} is a secret." })
  ),
  json: Schema.optionalKey(template.annotate({ description: "A JSON body. ${NAME} is a secret." })),
  headers: Schema.optionalKey(Schema.Record(headerName, text)),
  take: Schema.optionalKey(
    Schema.Record(text, pattern).annotate({
      description: "Values of the answer's text for later steps, by name, such as a token against forged requests."
    })
  )
})
/** A request of a browser at the pages of the web login. */
export type WebStep = typeof webStep.Type

const samlLogin = Schema.Struct({
  start: webPath.annotate({ description: "The page that sends the browser to the identity provider." }),
  identityProvider: Schema.Struct({
    entityId: text,
    url: text.annotate({ description: "The single sign-on URL. Nothing has to answer there." }),
    key: secret.annotate({ description: "The RSA private key (PEM) whose certificate the deployment trusts." })
  }).annotate({ description: "An identity provider of the deployment. The suite acts in its place." }),
  user: Schema.Struct({
    nameId: text,
    format: Schema.optionalKey(text.annotate({ description: "The format of the NameID; emailAddress if left out." })),
    attributes: Schema.optionalKey(Schema.Record(text, Schema.String))
  }).annotate({ description: "A user who may log in through the identity provider." })
})
/** A login by SAML single sign-on, with the identity provider that the suite plays. */
export type SamlLogin = typeof samlLogin.Type

const webLogin = Schema.Struct({
  proof: Schema.Struct({ path: webPath, headers: Schema.optionalKey(Schema.Record(headerName, text)) }).annotate({
    description: "A page that is answered 2xx to users who are logged in, and to nobody else."
  }),
  totp: Schema.optionalKey(
    Schema.Struct({
      steps: Schema.Array(webStep)
        .check(Schema.isMinLength(1))
        .annotate({ description: "The login of a user with an enrolled app. {{code}} stands in the last step." }),
      secret: secret.annotate({ description: "The secret of the user's app, in base32." })
    })
  ),
  saml: Schema.optionalKey(samlLogin)
})

const derivedRead = Schema.Struct({
  method: Schema.Literals(["GET", "POST"]),
  path: path.annotate({ description: "{{worker}} and the like stand for the ids of resources made for the call." }),
  body: Schema.optionalKey(template),
  tellsOf: Schema.Array(text).check(Schema.isMinLength(2)).annotate({
    description: "The entity types that the answer tells of: worker, credential and so on."
  })
})
export type DerivedRead = typeof derivedRead.Type

/** One deployment, described by who runs it: what a run may use, and where things are that the specification leaves open. */
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
    plainHttpUrl: Schema.optionalKey(url)
  }),
  legacy: Schema.optionalKey(legacy),
  secondTenant: Schema.optionalKey(Schema.Struct({ tenantBaseUrl: url, admin: principal })),
  tls: Schema.optionalKey(
    Schema.Struct({
      caFile: Schema.optionalKey(text.annotate({ description: "PEM, relative to the profile." }))
    })
  ),
  resolve: Schema.optionalKey(
    Schema.Record(text, text).annotate({ description: "The addresses of hosts that DNS does not know." })
  ),
  principals,
  groups: Schema.optionalKey(
    Schema.Record(text, group).annotate({ description: "By entity type: worker, credential, applicant and so on." })
  ),
  ownership: Schema.optionalKey(
    Schema.Struct({
      link: Schema.optionalKey(template.annotate({ description: "Body of link: {{type}}, {{id}}." })),
      unlink: Schema.optionalKey(template.annotate({ description: "Body of unlink: {{type}}, {{id}}." })),
      bulkLink: Schema.optionalKey(
        template.annotate({ description: "{{from}} and {{to}} (references), {{credentialIds}}." })
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
    }).annotate({ description: "A request that breaks a rule about state; with allowedBody it would be carried out." })
  ),
  signingSecret: Schema.optionalKey(
    Schema.Struct({
      create: Schema.optionalKey(text.annotate({ description: "Left out: a create shows none." })),
      rotate: text
    }).annotate({ description: "Where a webhook's secret stands in answers: data.signingSecret." })
  ),
  receiver: Schema.optionalKey(
    receiver.annotate({ description: "Where the suite receives deliveries: {{receiver}} in the body of a webhook." })
  ),
  signature: Schema.optionalKey(signature.annotate({ description: "How deliveries are signed." })),
  redrive: Schema.optionalKey(
    Schema.Struct({
      method: Schema.Literals(["POST", "PUT", "PATCH"]),
      path: path.annotate({ description: "{{id}} stands for the webhook's id, {{delivery}} for a delivery's." }),
      body: Schema.optionalKey(
        template.annotate({ description: "{{id}}, {{delivery}}, and {{since}}: a time before it, ISO 8601." })
      ),
      of: Schema.optionalKey(
        Schema.Literals(["failed", "delivered"]).annotate({
          description: "Whether what is sent again has failed, as it has if left out, or was delivered before."
        })
      )
    }).annotate({ description: "The call that has deliveries of a webhook sent again." })
  ),
  verifiableCredential: Schema.optionalKey(
    Schema.Struct({
      body: template.annotate({ description: "{{worker}} owns it, {{unique}} is its name." })
    }).annotate({ description: "With what a credential is made that can be verified." })
  ),
  subscribedWebhook: Schema.optionalKey(
    Schema.Struct({
      body: template.annotate({ description: "{{receiver}} is its URL, {{unique}} its name." })
    }).annotate({
      description:
        "The body of a webhook that receives credential.verified; groups.webhook.create.body if left out. Needed where " +
        "that subscription takes more than CREATE on webhook: groups.webhook.create.body then has other events."
    })
  ),
  derivedReads: Schema.optionalKey(
    Schema.Array(derivedRead).annotate({
      description: "Calls that change nothing and whose answers tell of several entity types."
    })
  ),
  providerPaths: Schema.optionalKey(Schema.Array(path)),
  readPaths: Schema.optionalKey(
    Schema.Record(text, path).annotate({
      description: "By entity type, a GET of its group where it is not the usual one."
    })
  ),
  audit: Schema.optionalKey(
    Schema.Struct({
      path: path.annotate({
        description: "A list of what was done to one resource, {{id}}, by whoever made it and by nobody else."
      }),
      actor: text.annotate({ description: "Where in an entry of it the account stands that acted: account.urn" })
    }).annotate({ description: "How the audit history is read." })
  ),
  bulkFetchRequest: Schema.optionalKey(
    Schema.Struct({
      path,
      body: template.annotate({
        description: "Asks one worker that there is, {{worker}}, and one that there is not, {{nobody}}."
      }),
      items: Schema.optionalKey(
        text.annotate({ description: "Where in the answer the items stand; data if left out." })
      ),
      id: Schema.optionalKey(
        text.annotate({ description: "Where in an item the id of the fetch request stands; id if left out." })
      )
    }).annotate({ description: "The bulk fetch request." })
  ),
  webLogin: Schema.optionalKey(webLogin.annotate({ description: "How people log in to the web application." })),
  oauthLifetimeSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  notOffered: Schema.optionalKey(
    Schema.Array(text).annotate({ description: "Needs that the deployment offers through no interface, by name." })
  ),
  run: Schema.optionalKey(run)
}).annotate({ identifier: "Profile", title: "Profile of a deployment of the Workforce Compliance Service" })
export type Profile = typeof Profile.Type
