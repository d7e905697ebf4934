/** What `agent_reply` says when the endpoint gave no usable reply. Part of the contract, to the letter. */
export const failedReplyText = "Request failed";
