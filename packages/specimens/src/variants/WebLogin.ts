import type { Variant } from "../Specimen.ts"
import { served, told } from "../WebLogin.ts"

/** Web login by pages, and by SAML's other binding. */
export const webLoginVariants: ReadonlyArray<Variant> = [
  { name: "web-login-with-pages-of-its-own", about: ["AUT-16", "AUT-17"], ...told, rewrite: served() }
]
