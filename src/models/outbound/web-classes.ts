import { CloseEvent, FormData, Headers, Request, Response } from "undici";

/**
 * `Response` and its kin come from the HTTP client that is here anyway. Node has another copy of that client for its own, and
 * loads it when one of them is first named: 40 ms and 10 MB. Imported before whatever names them.
 */
Object.assign(globalThis, { CloseEvent, FormData, Headers, Request, Response });
