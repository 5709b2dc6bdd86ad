import { Schema } from "effect"
import { headerName, secret, template, text } from "./Values.ts"

/** Whether a text is a regular expression with a group. */
const isPatternWithGroup = (candidate: string): boolean => {
  try {
    return (new RegExp(`${candidate}|`).exec("")?.length ?? 0) > 1
  } catch {
    return false
  }
}

const webPath = text
  .check(Schema.isPattern(/^(?:\/|https?:\/\/|\{\{)\S*$/u, { expected: "a path that begins with /, or a URL" }))
  .annotate({ description: "A path on the tenant's host, or a URL." })
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
      description: "Values to take from the response text for later steps, by name, such as a CSRF token."
    })
  )
})
/** A browser request of the web login. */
export type WebStep = typeof webStep.Type

const samlLogin = Schema.Struct({
  start: webPath.annotate({ description: "The page that sends the browser to the identity provider." }),
  identityProvider: Schema.Struct({
    entityId: text,
    url: text.annotate({ description: "The single sign-on URL. No server is needed there." }),
    key: secret.annotate({ description: "The RSA private key (PEM). The deployment must trust its certificate." })
  }).annotate({ description: "An identity provider that the deployment trusts. The suite plays its role." }),
  user: Schema.Struct({
    nameId: text,
    format: Schema.optionalKey(text.annotate({ description: "The format of the NameID; default: emailAddress." })),
    attributes: Schema.optionalKey(Schema.Record(text, Schema.String))
  }).annotate({ description: "A user that may log in through the identity provider." })
})
/** A login by SAML single sign-on. The suite plays the identity provider. */
export type SamlLogin = typeof samlLogin.Type

/** How people log in to the web application. */
export const webLogin = Schema.Struct({
  proof: Schema.Struct({ path: webPath, headers: Schema.optionalKey(Schema.Record(headerName, text)) }).annotate({
    description: "A page that is 2xx only for logged-in users."
  }),
  totp: Schema.optionalKey(
    Schema.Struct({
      steps: Schema.Array(webStep)
        .check(Schema.isMinLength(1))
        .annotate({ description: "The login of a user with an enrolled app. The last step contains {{code}}." }),
      secret: secret.annotate({ description: "The secret of the user's app, in base32." })
    })
  ),
  saml: Schema.optionalKey(samlLogin)
})
