import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import Provider from "oidc-provider"

/** The person who is logged in at the provider. */
export interface OidcPerson {
  readonly subject: string
  readonly email: string
  /** Undefined: the provider does not say. */
  readonly emailVerified: boolean | undefined
  /** When the person logged in, according to the provider, in seconds; by default now. */
  readonly loggedInAt?: number
}

export const clientSecret = "a-client-secret-of-forty-characters-00001"
export const clientId = "wcs"

const base64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** Signs a JWT as the provider does. */
const jwtBy =
  (key: KeyObject, kid: string) =>
  (claims: Readonly<Record<string, unknown>>, header: Readonly<Record<string, unknown>> = {}): string => {
    const text = `${base64Url({ alg: "RS256", kid, typ: "at+jwt", ...header })}.${base64Url(claims)}`
    return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`
  }

const listen = (server: Server) =>
  new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })

/** Starts npm's oidc-provider on a free port. `person` logs in there without a page, and consents. */
export const startOidcProvider = async () => {
  const person: { current: OidcPerson } = { current: { subject: "", email: "", emailVerified: true } }
  const people = new Map<string, OidcPerson>()
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const kid = randomUUID()
  const redirectUris: Array<string> = []
  let handle: ReturnType<Provider["callback"]> = () => {}
  const server = createServer((request, response) => handle(request, response))
  const issuer = await listen(server)

  const start = () => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [...redirectUris],
          response_types: ["code"],
          grant_types: ["authorization_code"]
        }
      ],
      jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] },
      claims: { openid: ["sub"], email: ["email", "email_verified"] },
      conformIdTokenClaims: true,
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      cookies: { keys: ["test"] },
      interactions: { url: () => "/interact" },
      findAccount: (_: unknown, id: string) => {
        const found = people.get(id)
        return {
          accountId: id,
          claims: () => ({ sub: id, email: found?.email, email_verified: found?.emailVerified })
        }
      },
      loadExistingGrant: async (ctx: {
        readonly oidc: {
          readonly provider: {
            readonly Grant: new (of: object) => { addOIDCScope(text: string): void; save(): unknown }
          }
          readonly session: { readonly accountId: string }
        }
      }) => {
        const grant = new ctx.oidc.provider.Grant({ clientId, accountId: ctx.oidc.session.accountId })
        grant.addOIDCScope("openid email")
        await grant.save()
        return grant
      }
    })
    const callback = provider.callback()
    handle = (request, response) => {
      if (request.url !== "/interact") return callback(request, response)
      const { loggedInAt, subject } = person.current
      people.set(subject, person.current)
      const login = { accountId: subject, ...(loggedInAt === undefined ? {} : { ts: loggedInAt }) }
      void provider
        .interactionResult(request, response, { login })
        .then((location) => response.writeHead(303, { location }).end())
    }
  }

  /** Follows the provider's redirects as a browser does, up to the one back to the service. */
  const authorize = async (location: string): Promise<string> => {
    const jar = new Map<string, string>()
    for (let at = location, hops = 0; hops < 10; hops++) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
      const answer = await fetch(at, { redirect: "manual", headers: { cookie } })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        jar.set(name, value)
      }
      const next = answer.headers.get("location")
      if (next === null) throw new Error(`${answer.status} ${await answer.text()}`)
      at = new URL(next, at).href
      if (!at.startsWith(issuer)) return at
    }
    throw new Error("too many redirects")
  }

  return {
    issuer,
    kid,
    jwt: jwtBy(privateKey, kid),
    /** Registers the redirect URI of a connection. */
    register: (uri: string) => {
      redirectUris.push(uri)
      start()
    },
    /** Logs the person in at the provider, for a browser that follows redirects itself. */
    enter: (who: OidcPerson) => {
      person.current = who
    },
    /** Logs the person in at the provider, and returns the URL to which the browser is redirected. */
    login: (location: string, who: OidcPerson) => {
      person.current = who
      return Effect.promise(() => authorize(location))
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** A provider until the scope closes. */
export const oidcProvider = Effect.acquireRelease(Effect.promise(startOidcProvider), ({ close }) => Effect.sync(close))
