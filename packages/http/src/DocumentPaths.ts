/** The paths of the documents. They support only GET. */
export const documentPaths = {
  jwks: "/.well-known/jwks.json",
  authorizationServer: "/.well-known/oauth-authorization-server",
  openApi: "/openapi.json",
  reference: "/docs"
} as const
