package text

import "github.com/erpilot/erpilot/schema/fault"

// Faults holds a sentence for every code; a test holds it complete.
var Faults = map[fault.Code]Text{
	fault.Internal:            {"内部错误，什么都没有写入。请稍后重试；若仍出现，请联系管理员。", "Something went wrong on our side and nothing was written. Try again later; if it stays, tell your administrator."},
	fault.Invalid:             {"请求无效：{detail}", "The request is not valid: {detail}"},
	fault.ValidationFailed:    {"ERP 不接受这些内容：{detail}", "The ERP does not accept this: {detail}"},
	fault.TooLarge:            {"内容太大。上限：{limit}。", "That is too large. The limit is {limit}."},
	fault.NotFound:            {"没有找到。它可能已被删除，或不属于您。", "Not found. It may be gone, or it is not yours."},
	fault.Unauthenticated:     {"登录已过期，请重新登录。", "Your login has expired. Please log in again."},
	fault.BadCredentials:      {"用户名或密码不对。", "User name or password is wrong."},
	fault.PermissionDenied:    {"您没有「{form}」的「{action}」权限。", "You have no right to {action} in {form}."},
	fault.Conflict:            {"当前状态不允许这样做：{detail}", "That is not possible in the present state: {detail}"},
	fault.PendingOpen:         {"对话里还有 {count} 项待处理。请先处理，或连同取消它们。", "The conversation still has {count} open items. Settle them first, or cancel them along with it."},
	fault.IdempotencyMismatch: {"同一个幂等键对应了不同的内容。", "This idempotency key was used before with other content."},
	fault.RateLimited:         {"请求太频繁，请稍后再试。", "Too many requests. Please wait a moment."},
	fault.Unavailable:         {"服务暂时不可用，请稍后再试。什么都没有丢失。", "The service is not available just now. Nothing is lost; please try again."},

	fault.NotPending:         {"这项操作现在不在等待确认（状态：{status}）。", "This operation is not waiting for a decision (state: {status})."},
	fault.StaleDecision:      {"您确认的内容不是当前等待的版本，什么都没有执行。请重新查看。", "You decided on something other than what is waiting now; nothing ran. Please look again."},
	fault.AlreadyDecided:     {"{by} 已于 {at} 通过 {channel} 作出决定：{status}。", "{by} has already decided ({status}) at {at} through {channel}."},
	fault.Expired:            {"已过截止时间，什么都没有写入。", "The deadline has passed; nothing was written."},
	fault.Unverified:         {"未签名的决定在这里不算数。请登录后再确认。", "Unsigned decisions do not count here. Log in and decide."},
	fault.NotAllowedToDecide: {"按审批规则，您不能决定这项操作。", "The policy does not let you decide this operation."},

	fault.DraftChanged:    {"草稿已改到第 {new} 版（您确认的是第 {old} 版），什么都没有写入。", "The draft is at revision {new} now (you confirmed {old}); nothing was written."},
	fault.QuoteChanged:    {"「{object}」的{label}已从 {old} 变为 {new}，什么都没有写入。", "{label} of {object} changed from {old} to {new}; nothing was written."},
	fault.StockChanged:    {"「{object}」的库存已从 {old} 变为 {new}，什么都没有写入。", "Stock of {object} changed from {old} to {new}; nothing was written."},
	fault.RecordChanged:   {"「{object}」在此期间被其他人修改过，什么都没有写入。", "{object} was edited by someone else meanwhile; nothing was written."},
	fault.StateChanged:    {"「{object}」的{label}已从 {old} 变为 {new}，什么都没有写入。", "{label} of {object} changed from {old} to {new}; nothing was written."},
	fault.ContractChanged: {"系统升级改变了这项操作的格式，原来的确认不再有效，什么都没有写入。请重新提议。", "An upgrade changed the format of this operation, so the old confirmation no longer holds; nothing was written. Propose it again."},
	fault.TokenReused:     {"同一个写入凭证对应了不同的内容，什么都没有写入。", "The same write token came with other content; nothing was written."},

	fault.OutcomeUnknown: {"ERP 的答复丢失，正在核对结果。", "The ERP's answer was lost; the outcome is being looked up."},
	fault.LoginExpired:   {"ERP 登录已过期。重新登录后会自动继续，无需再次确认。", "The ERP login has expired. After you log in again it goes on by itself, without another confirmation."},

	fault.ModelUnavailable: {"模型服务没有响应。可以稍后点「继续」。", "The model does not answer. You can press Resume later."},
	fault.ModelTruncated:   {"模型的回答被截断，没有执行任何操作。可以点「继续」重试。", "The model's reply was cut off; nothing was carried out. Press Resume to try again."},
	fault.ModelInvalid:     {"模型的回答无法使用，没有执行任何操作。可以点「继续」重试。", "The model's reply could not be used; nothing was carried out. Press Resume to try again."},
	fault.ModelRejected:    {"模型服务拒绝了请求。请管理员检查模型配置。", "The model service refused the request. Ask your administrator to check the model settings."},
	fault.ToolUnknown:      {"模型调用了不存在的工具，没有执行任何操作。", "The model called a tool that does not exist; nothing was carried out."},
	fault.ArgumentsInvalid: {"模型多次给出无效的参数，没有执行任何操作。请换个说法再试。", "The model kept sending invalid arguments; nothing was carried out. Please rephrase and try again."},
	fault.LimitReached:     {"这一轮已达到步数或时间上限。点「继续」可接着做。", "This turn reached its limit of steps or time. Press Resume to go on."},
	fault.Stopped:          {"已停止。", "Stopped."},
}
