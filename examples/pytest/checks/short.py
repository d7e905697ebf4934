def score(output, context):
    words = len(output.split())
    return {"score": 1 if words <= 60 else 60 / words, "reason": f"{words} words"}
