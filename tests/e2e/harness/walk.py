"""walk"""
def run(env):
    return []
