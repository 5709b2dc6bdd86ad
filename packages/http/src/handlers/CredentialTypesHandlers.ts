import { NewerSurface } from "@wcs/api/NewerSurface"
import { shown } from "@wcs/domain/holding/CredentialType"
import { handlersOf } from "../pipeline/Endpoints.ts"
import { wholeList } from "./WholeList.ts"

export const handlers = handlersOf(NewerSurface, "credentialTypes", { list: wholeList(shown) })
